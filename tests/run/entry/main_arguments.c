// main called without arguments, as a program without harness.
// paths: finished=1
// exit: 0
// complete: true
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    printf("%d %d\n", argc, argv[1] == 0);
    return argc != 1;
}
