// errno as the library leaves it: conversions, mathematical functions, messages.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile double zero = 0, minus = -1, large = 1e300, small = 1e-300;

#define TRY(expression)                                                                                                \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        double result = (double)(expression);                                                                          \
        int error = errno;                                                                                             \
        printf("%s %d %s\n", #expression, error, result != result ? "nan" : isinf(result) ? "inf" : "finite");         \
    } while (0)

int main(void) {
    TRY(sqrt(minus));
    TRY(sqrt(zero));
    TRY(sqrtf((float)minus));
    TRY(sqrtl(minus));
    TRY(log(minus));
    TRY(log(zero));
    TRY(pow(large, 2));
    TRY(pow(minus, 0.5));
    TRY(pow(zero, minus));
    TRY(exp(large));
    TRY(exp(minus * large));
    TRY(acos(2 - minus));
    TRY(fmod(1, zero));
    TRY(sin(large * large));
    TRY(atanh(1 - zero));
    TRY(lgamma(zero));
    TRY(sinh(large));
    TRY(strtol("99999999999999999999", NULL, 10));
    TRY(strtol("12", NULL, 99));
    TRY(strtoul("-1", NULL, 10));
    TRY(strtod("1e999", NULL));
    TRY(strtod("1e-999", NULL));
    TRY(strtoll("-9223372036854775809", NULL, 10));
    TRY(strtol("-9223372036854775808", NULL, 10) == LONG_MIN);
    errno = ENOENT;
    printf("%m|%s|%s\n", strerror(errno), strerror(EINVAL));
    perror("perror");
    errno = 0;
    perror("");
    printf("%d %d %d\n", EDOM, ERANGE, errno);
    return 0;
}
