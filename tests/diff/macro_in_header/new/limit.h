#define LIMIT 12
