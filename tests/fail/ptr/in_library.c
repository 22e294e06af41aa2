// The library goes wrong inside, but the line is that of the call in the user's code.
// run: --entry use
// paths: finished=1 error=10
// exit: 1
// complete: true
#include <stdio.h>
#include <string.h>

int use(int which) {
    char small[4];
    char open[4] = {'a', 'b', 'c', 'd'};
    switch (which) {
    case 1: strcpy(small, "too long"); return 1; // expect: ptr
    case 2: return (int)strlen(open); // expect: ptr
    case 3: memset(small, 0, 5); return 3; // expect: ptr
    case 4: memcpy(small, open, 8); return 4; // expect: ptr
    case 5: strcat(strcpy(small, "abc"), "d"); return 5; // expect: ptr
    case 6: return strcmp(open, "abcde"); // expect: ptr
    case 7: return sprintf(small, "%d", 12345); // expect: ptr
    case 8: memmove(small + 1, open, 4); return 8; // expect: ptr
    case 9: return memcmp(small, open, 5); // expect: ptr
    case 10: return strchr(open, 'z') != 0; // expect: ptr
    default: return 0;
    }
}
