/* A program that leans on the C library: what it prints is the same with any correct one. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __upshot_unsupported(const char *what) { abort(); }

static int by_text(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

int main(void) {
  char text[200], word[20], rest[20];
  const char *words[] = {"pear", "apple", "fig", "Plum", "date"};
  qsort(words, 5, sizeof *words, by_text);
  for (int i = 0; i < 5; i++) printf("%s%s", words[i], i < 4 ? " " : "\n");
  int length = snprintf(text, sizeof text, "%d %5.2f %-6s| %#x %c %Lg", -42, 3.14159, "hi", 255, 'c', 1e100L);
  printf("%s (%d)\n", text, length);
  strcpy(word, "copy");
  strcat(word, "cat");
  printf("%s %zu %d\n", word, strlen(word), memcmp(word, "copyc", 6));
  int number = 0;
  double real = 0;
  int read = sscanf("12 0.5e1 left over", "%d %lf %19s", &number, &real, rest);
  printf("%d: %d %g %s\n", read, number, real, rest);
  printf("%.17g %ld %d\n", strtod("0.1", NULL), strtol("-0x1f", NULL, 0), atoi(" 77"));
  srand(7);
  printf("%d %d\n", rand(), rand());
  errno = 0;
  long big = strtol("99999999999999999999", NULL, 10);
  printf("%ld %s\n", big, strerror(errno));
  perror("strtol");
  int letters = 0;
  for (const char *c = "a1 B2_"; *c; c++) letters += isalpha((unsigned char)*c) != 0;
  printf("%d %c %.1f %.3f\n", letters, toupper('x'), floor(-1.5), ldexp(0.75, 3));
  char list[] = "one,two,,three";
  for (char *part = strtok(list, ","); part; part = strtok(NULL, ",")) printf("[%s]", part);
  printf("\n");
  return 0;
}
