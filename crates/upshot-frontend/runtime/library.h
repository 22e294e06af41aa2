/* What all parts of the runtime share. System headers stay out: their macros and inline functions would define, under
 * the same names, what is defined here. */

#ifndef UPSHOT_LIBRARY_H
#define UPSHOT_LIBRARY_H

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char byte;

/* Error numbers of Linux. */
enum { UPSHOT_EINVAL = 22, UPSHOT_ERANGE = 34, UPSHOT_EOVERFLOW = 75, UPSHOT_EILSEQ = 84 };

extern int __upshot_errno;

/* Memory and output come from the executor. */
void *malloc(size_t size);
void free(void *pointer);
ptrdiff_t write(int descriptor, const void *bytes, size_t size);
void abort(void) __attribute__((noreturn));

/* Ends the path as unsupported. The executor knows it by its name, and would by the lack of a definition. */
void __upshot_unsupported(const char *what) __attribute__((noreturn));

#endif
