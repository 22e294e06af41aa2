/* The C library that programs get where they bring no definition of their own: one translation unit of all its parts.
 *
 * What every part keeps to:
 * - No public function calls another public function: the program may have replaced it by something else. What is
 * shared is static, or an engine intrinsic (`__builtin_memcpy` and the like).
 * - Few branches on data. A symbolic executor forks at every branch that its input decides, so conditions are joined
 * with
 *   `|` and `&` instead of `||` and `&&`, and computed with arithmetic where that is as clear.
 * - Bytes one at a time. Word-at-a-time tricks read past the end of objects and make terms that no solver likes.
 * - Results equal to glibc's, also where C leaves them open, because native replay compares the two. */

#include "library.h"

#include "errno.c"
#include "ctype.c"
#include "string.c"
#include "string_search.c"
#include "string_extensions.c"
#include "integer_text.c"
#include "float_text.c"
#include "stdlib.c"
#include "random.c"
#include "format_float.c"
#include "format.c"
#include "scan.c"
#include "stdio.c"
#include "math.c"
#include "locale.c"
#include "fortify.c"
