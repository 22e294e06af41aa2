struct packed { unsigned a : 4, b : 5; };

int get(struct packed *p) {
    return p->b; // changed
}
