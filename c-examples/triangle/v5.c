// Classifies triangles by their sides and by their largest angle.
#include <stdbool.h>

enum { SIDE_MOST = 100 };

enum sides { NO_TRIANGLE, SCALENE, ISOSCELES, EQUILATERAL };

enum angle { FLAT, ACUTE, RIGHT, OBTUSE };

enum { BAD_SIDE = -1, ANGLE_FACTOR = 10 };

int triangles_seen;

struct triangle {
    int longest;
    int middle;
    int shortest;
};

static bool good_side(int side) {
    return side > 0 && side <= SIDE_MOST;
}

static void exchange(int *a, int *b) {
    int kept = *a;
    *a = *b;
    *b = kept;
}

// The sides, the longest first.
static struct triangle sorted(int a, int b, int c) {
    struct triangle triangle = {a, b, c};
    if (triangle.longest < triangle.middle)
        exchange(&triangle.longest, &triangle.middle);
    if (triangle.middle < triangle.shortest)
        exchange(&triangle.middle, &triangle.shortest);
    if (triangle.longest < triangle.middle)
        exchange(&triangle.longest, &triangle.middle);
    return triangle;
}

static enum sides by_sides(const struct triangle *triangle) {
    int equal = 0;
    if (triangle->longest == triangle->middle)
        equal++;
    if (triangle->middle == triangle->shortest)
        equal++;
    switch (equal) {
    case 0:
        return SCALENE;
    case 1:
        return ISOSCELES;
    default:
        return EQUILATERAL;
    }
}

// Compares the square over the longest side with those over the others.
static enum angle by_angle(const struct triangle *triangle) {
    int large = triangle->longest * triangle->longest;
    int small = triangle->middle * triangle->middle + triangle->shortest * triangle->shortest;
    if (large == small)
        return RIGHT;
    return large < small ? ACUTE : OBTUSE;
}

// The kind by sides, plus ten times the kind by angle.
int classify(int a, int b, int c) {
    if (!good_side(a) || !good_side(b) || !good_side(c))
        return BAD_SIDE;
    if ((a == SIDE_MOST || b == SIDE_MOST || c == SIDE_MOST) && (a != b || b != c))
        return BAD_SIDE;
    struct triangle triangle = sorted(a, b, c);
    if (triangle.longest >= triangle.middle + triangle.shortest)
        return NO_TRIANGLE;
    triangles_seen++;
    enum sides sides = by_sides(&triangle);
    enum angle angle = ACUTE;
    if (sides != EQUILATERAL)
        angle = by_angle(&triangle);
    return (int)sides + ANGLE_FACTOR * (int)angle;
}
