struct packed { unsigned a : 3, b : 5; };

int get(struct packed *p) {
    return p->b; // changed
}
