// A list as input: every shape up to the bound, cycles among them.
// run: --entry third --pointer-depth 3 --array-len 1
// paths: finished=7
// exit: 0
// complete: true
struct node {
    struct node *next;
    int value;
};

int third(struct node *list) {
    for (int i = 0; i < 2 && list; i++)
        list = list->next;
    return list ? list->value == 5 : -1;
}
