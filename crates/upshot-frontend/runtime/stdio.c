/* <stdio.h>: what is more than a stream that bytes go into. */

static void stdio_put_error(const char *text) { write(2, text, string_length(text)); }

void perror(const char *text) {
  if (text && *text) {
    stdio_put_error(text);
    stdio_put_error(": ");
  }
  stdio_put_error(error_text(__upshot_errno));
  stdio_put_error("\n");
}
