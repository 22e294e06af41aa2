// clang: -O0 -g
// Sizes and types of globals; addresses in constants.
struct node { struct node *next; const char *name; int bits : 3; };
int numbers[5] = {1, 2, 3};
int *third = &numbers[2];
static const char text[] = "text";
struct node a, b = {&a, text + 1, 2};
extern int elsewhere;
_Thread_local long counter = 5;
long distance(void) { return (char *)&numbers[4] - (char *)third; }
int *address(void) { return &numbers[3]; }
int outside(void) { return elsewhere; }
long tick(void) { return ++counter; }
int aliased(void) __attribute__((alias("outside")));
int through(void) { return aliased(); }
