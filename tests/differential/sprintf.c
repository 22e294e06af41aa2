// The same as printf_floats.c and printf_integers.c, through snprintf and vprintf: other code, same text.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int through_a_buffer(const char *format, ...) {
    static char buffer[2000];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    fputs(buffer, stdout);
    int printed = vprintf(format, again);
    va_end(again);
    if (printed != length) printf("%d %d\n", printed, length);
    return length;
}

#define NO_NUMBERED_ARGUMENTS
#define printf through_a_buffer
#define main floats_main
#define values float_values
#include "printf_floats.c"
#undef main
#undef values
#define main integers_main
#define values integer_values
#include "printf_integers.c"
#undef main
#undef printf

int main(void) {
    int status = floats_main();
    return status + integers_main();
}
