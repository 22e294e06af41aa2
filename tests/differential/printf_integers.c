// printf: integers, characters, strings and pointers under every flag, width, precision and length.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static volatile long long values[] = {0, 1, -1, 7, 42, -42, 123456789, -2147483647 - 1, 2147483647, 9223372036854775807ll, -9223372036854775807ll - 1};

int main(void) {
    for (int i = 0; i < 11; i++) {
        long long v = values[i];
        int n = (int)v;
        printf("[%d][%5d][%-5d][%05d][%+d][% d][%.3d][%8.3d][%-8.3d][%08.3d][%+08d]\n", n, n, n, n, n, n, n, n, n, n, n);
        printf("[%u][%x][%X][%o][%#x][%#X][%#o][%08x][%#08x][%-#8x][%.5x][%#.5o]\n", n, n, n, n, n, n, n, n, n, n, n, n);
        printf("[%hhd][%hhu][%hd][%hu][%ld][%lu][%lld][%llu][%jd][%zd][%td][%zu]\n", (signed char)n, (unsigned char)n, (short)n,
               (unsigned short)n, (long)v, (unsigned long)v, v, (unsigned long long)v, (intmax_t)v, (ptrdiff_t)v, (ptrdiff_t)v, (size_t)v);
        printf("[%20lld][%-20lld][%020lld][%+lld][%llx][%llo][%#llx]\n", v, v, v, v, v, v, v);
        printf("[%*d][%-*d][%.*d][%*.*d][%*d][%.*d]\n", 6, n, 6, n, 4, n, 9, 4, n, -6, n, -1, n);
        printf("[%" PRId8 "][%" PRIu16 "][%" PRIx32 "][%" PRId64 "][%" PRIuMAX "]\n", (int8_t)n, (uint16_t)n, (uint32_t)n, (int64_t)v,
               (uintmax_t)v);
        printf("[%.0d][%5.0d][%#.0x][%+.0d]\n", n, n, n, n);
    }
    printf("[%c][%5c][%-5c][%c]\n", 'a', 'b', 'c', 0x41);
    printf("[%s][%10s][%-10s][%.3s][%10.3s][%-10.3s][%.0s][%.*s]\n", "string", "string", "string", "string", "string", "string", "string", 2,
           "string");
    printf("[%s][%5s]\n", "", "");
    printf("[%p][%20p][%-20p]\n", (void *)0, (void *)0, (void *)0x1234);
    printf("100%% [%%] [%5%]\n");
    int count = -1, later = -1;
    printf("12345%n67%n\n", &count, &later);
    printf("%d %d\n", count, later);
    char buffer[40];
    memset(buffer, '#', sizeof buffer);
    int needed = snprintf(buffer, 10, "%s %d", "a long text", 12345);
    printf("%d [%s] %c\n", needed, buffer, buffer[10]);
    needed = snprintf(NULL, 0, "%08.3f|%s", 3.14159, "x");
    printf("%d\n", needed);
    needed = sprintf(buffer, "%d%s%c", 1, "two", '3');
    printf("%d %s\n", needed, buffer);
#ifndef NO_NUMBERED_ARGUMENTS
    printf("%2$s %1$s\n", "world", "hello");
#endif
    printf("%i %ld %5.2s|\n", 5, 6l, "xyz");
    fprintf(stdout, "%s\n", "to stdout");
    fprintf(stderr, "%s %d\n", "to stderr", 7);
    puts("puts");
    putchar('p');
    putc('q', stdout);
    fputc('r', stdout);
    fputs("fputs\n", stdout);
    fwrite("fwrite\n", 1, 7, stdout);
    fflush(stdout);
    printf("%d\n", printf("%s", ""));
    printf("\x01\xff\t\n");
    return printf("last") - 4;
}
