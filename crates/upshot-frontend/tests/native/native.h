/* For tests that compare the runtime with the system's C library. The runtime's functions are here under the prefix
 * `up_`; each test file has one `test_…` function and counts what differs with CHECK. */

#ifndef NATIVE_H
#define NATIVE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declares the runtime's counterpart of a function of the system. */
#define TWIN(name) extern __typeof__(name) up_##name;

extern int *up___errno_location(void);
#define up_errno (*up___errno_location())

extern int failures;
void report(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define CHECK(condition, ...) ((condition) ? (void)0 : report(__FILE__, __LINE__, __VA_ARGS__))

/* The same numbers in every run. */
uint64_t draw(void);
static inline unsigned below(unsigned limit) { return (unsigned)(draw() % limit); }

/* A string of up to `most` characters out of `alphabet`. */
void draw_string(char *target, unsigned most, const char *alphabet);

void test_ctype(void);
void test_string(void);
void test_integer_text(void);
void test_float_text(void);
void test_format(void);
void test_format_float(void);
void test_scan(void);
void test_stdlib(void);
void test_math(void);

#endif
