// Standard input is empty; that it has ended is known once something was read.
// paths: finished=1
// exit: 0
// complete: true
#include <stdio.h>

int main(void) {
    char line[8] = "as is";
    printf("%d\n", feof(stdin) != 0);
    printf("%zu %d\n", fread(line, 0, 4, stdin), feof(stdin) != 0);
    printf("%zu %d\n", fread(line, 1, 4, stdin), feof(stdin) != 0);
    printf("%d %d %d\n", getchar(), fgetc(stdin), getc(stdin));
    printf("%d %s %d\n", fgets(line, sizeof line, stdin) == NULL, line, ferror(stdin));
    fflush(NULL);
    return fflush(stdout);
}
