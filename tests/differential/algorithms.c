// Small programs as people write them: hashes, checksums, ciphers, big numbers, compression, automata.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t crc_table[256];
static uint32_t crc32(const void *data, size_t n) {
    if (!crc_table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
            crc_table[i] = c;
        }
    const uint8_t *p = data;
    uint32_t c = ~0u;
    while (n--) c = crc_table[(c ^ *p++) & 0xff] ^ c >> 8;
    return ~c;
}

static uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void sha256(const uint8_t *data, size_t length, uint8_t digest[32]) {
    uint32_t h[8], k[64];
    int primes = 0;
    for (int candidate = 2; primes < 64; candidate++) {
        int is_prime = 1;
        for (int d = 2; d * d <= candidate; d++) is_prime &= candidate % d != 0;
        if (!is_prime) continue;
        // Fractional parts of roots, by integer search.
        uint64_t low = 0, high = (uint64_t)1 << 36;
        while (low + 1 < high) {
            unsigned __int128 mid = (low + high) / 2;
            if (mid * mid * mid < (unsigned __int128)candidate << 96) low = (uint64_t)mid;
            else high = (uint64_t)mid;
        }
        k[primes] = (uint32_t)low;
        if (primes < 8) {
            low = 0, high = (uint64_t)1 << 36;
            while (low + 1 < high) {
                unsigned __int128 mid = (low + high) / 2;
                if (mid * mid < (unsigned __int128)candidate << 64) low = (uint64_t)mid;
                else high = (uint64_t)mid;
            }
            h[primes] = (uint32_t)low;
        }
        primes++;
    }
    size_t padded = (length + 9 + 63) / 64 * 64;
    uint8_t *message = calloc(1, padded);
    memcpy(message, data, length);
    message[length] = 0x80;
    for (int i = 0; i < 8; i++) message[padded - 1 - (size_t)i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
    for (size_t at = 0; at < padded; at += 64) {
        uint32_t w[64], v[8];
        for (int i = 0; i < 16; i++)
            w[i] = (uint32_t)message[at + i * 4] << 24 | (uint32_t)message[at + i * 4 + 1] << 16 | (uint32_t)message[at + i * 4 + 2] << 8 |
                   message[at + i * 4 + 3];
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
                   (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
        memcpy(v, h, sizeof v);
        for (int i = 0; i < 64; i++) {
            uint32_t t1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
            uint32_t t2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            memmove(v + 1, v, 7 * sizeof *v);
            v[4] += t1;
            v[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++) h[i] += v[i];
    }
    free(message);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(h[i / 4] >> (24 - i % 4 * 8));
}

static void factorial(int n) {
    uint32_t digits[80] = {1};
    int used = 1;
    for (int i = 2; i <= n; i++) {
        uint64_t carry = 0;
        for (int d = 0; d < used; d++) {
            carry += (uint64_t)digits[d] * (uint32_t)i;
            digits[d] = (uint32_t)(carry % 1000000000);
            carry /= 1000000000;
        }
        if (carry) digits[used++] = (uint32_t)carry;
    }
    printf("%u", digits[used - 1]);
    for (int d = used - 2; d >= 0; d--) printf("%09u", digits[d]);
    printf("\n");
}

static void base64(const char *text) {
    static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i += 3) {
        uint32_t group = (uint32_t)(uint8_t)text[i] << 16;
        if (i + 1 < n) group |= (uint32_t)(uint8_t)text[i + 1] << 8;
        if (i + 2 < n) group |= (uint8_t)text[i + 2];
        putchar(set[group >> 18]);
        putchar(set[group >> 12 & 63]);
        putchar(i + 1 < n ? set[group >> 6 & 63] : '=');
        putchar(i + 2 < n ? set[group & 63] : '=');
    }
    putchar('\n');
}

static int matches(const char *pattern, const char *text) {
    if (!*pattern) return !*text;
    if (pattern[1] == '*') {
        do {
            if (matches(pattern + 2, text)) return 1;
        } while (*text && (*pattern == '.' || *pattern == *text++) && (*pattern != '.' || *text++));
        return 0;
    }
    return *text && (*pattern == '.' || *pattern == *text) && matches(pattern + 1, text + 1);
}

static int squeeze(const char *in, char *out) {
    int n = 0;
    while (*in) {
        int run = 1;
        while (in[run] == *in && run < 9) run++;
        out[n++] = (char)('0' + run);
        out[n++] = *in;
        in += run;
    }
    out[n] = 0;
    return n;
}

static void life(int generations) {
    static unsigned char now[16][16], then[16][16];
    for (int i = 0; i < 256; i++) now[i / 16][i % 16] = (unsigned char)(i * 7 % 5 == 1);
    while (generations--) {
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 16; x++) {
                int neighbours = -now[y][x];
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++) neighbours += now[(y + dy) & 15][(x + dx) & 15];
                then[y][x] = neighbours == 3 || (neighbours == 2 && now[y][x]);
            }
        memcpy(now, then, sizeof now);
    }
    printf("%08x\n", crc32(now, sizeof now));
}

static void primes(void) {
    static char composite[1000];
    int count = 0, last = 0;
    for (int i = 2; i < 1000; i++) {
        if (composite[i]) continue;
        count++;
        last = i;
        for (int j = i * i; j < 1000; j += i) composite[j] = 1;
    }
    printf("%d %d\n", count, last);
}

static void mandelbrot(void) {
    for (int y = -4; y <= 4; y++) {
        for (int x = -12; x <= 6; x++) {
            double cr = x / 6.0, ci = y / 4.0, zr = 0, zi = 0;
            int i = 0;
            for (; i < 30 && zr * zr + zi * zi < 4; i++) {
                double t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
            }
            putchar(" .:-=+*#%@"[i / 3 % 10]);
        }
        putchar('\n');
    }
}

struct entry {
    struct entry *next;
    char key[12];
    int count;
};

static void words(void) {
    struct entry *table[13] = {0};
    char text[] = "it was the best of times it was the worst of times it was the age of wisdom";
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        unsigned hash = 0;
        for (char *p = word; *p; p++) hash = hash * 131 + (unsigned char)*p;
        struct entry **slot = &table[hash % 13];
        while (*slot && strcmp((*slot)->key, word)) slot = &(*slot)->next;
        if (!*slot) {
            *slot = calloc(1, sizeof **slot);
            strcpy((*slot)->key, word);
        }
        (*slot)->count++;
    }
    for (int i = 0; i < 13; i++)
        while (table[i]) {
            struct entry *e = table[i];
            printf("%s:%d ", e->key, e->count);
            table[i] = e->next;
            free(e);
        }
    printf("\n");
}

int main(void) {
    const char *text = "The quick brown fox jumps over the lazy dog";
    printf("%08x\n", crc32(text, strlen(text)));
    uint8_t digest[32];
    sha256((const uint8_t *)"abc", 3, digest);
    for (int i = 0; i < 32; i++) printf("%02x", digest[i]);
    printf("\n");
    factorial(30);
    factorial(60);
    base64("");
    base64("a");
    base64("any carnal pleas");
    printf("%d%d%d%d\n", matches("a.c*d", "abcccd"), matches("a*", "aaab"), matches(".*x", "zzzx"), matches("", ""));
    char out[50];
    printf("%d %s\n", squeeze("aaabccccccccccccd", out), out);
    life(6);
    primes();
    mandelbrot();
    words();
    return digest[0];
}
