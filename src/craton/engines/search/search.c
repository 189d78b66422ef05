/* The search, around a step function that is generated for each program (`step_text`): what it defines is in front.

   States wait in queues. A state's kind is its location and its values, or which of the intervals that the program
   tells apart they are in where a variable has many: the k-th state of a kind waits in queue log2(k), and the first
   queue that has one goes first. So every kind has its turn before states that differ in numbers alone are followed,
   and these are followed in the end, too.

   A step is taken once for each way in which its inputs can be chosen. Which of these ways led to a state is kept as a
   number, so that in the end the inputs on the way to an error are found by taking the steps again. */

enum { MOST_CHOICES = 64, MOST_RUNS = 20000, QUEUES = 24, CHUNK = 1 << 14 };

static unsigned taken[MOST_CHOICES], among[MOST_CHOICES], chosen, made;
static bits inputs[MOST_CHOICES];

/* The candidate for the next input; 0 where there were too many. */
static bits choose(const bits *candidates, unsigned number) {
    if (made == MOST_CHOICES) return candidates[0];
    if (made == chosen) {
        taken[chosen] = 0;
        among[chosen++] = number;
    }
    return inputs[made] = candidates[taken[made]], inputs[made++];
}

static int choose_otherwise(void) {
    while (chosen && taken[chosen - 1] + 1 == among[chosen - 1]) chosen--;
    if (!chosen) return 0;
    taken[chosen - 1]++;
    return 1;
}

#include "step.h"

typedef unsigned char state[SIZE];
struct node { unsigned parent, run, next; state is; };

static struct node **chunks;
static unsigned nodes, first[QUEUES], last[QUEUES], *table, slots, *kinds, kind_slots, kinds_seen;
static bits *kind_keys;
static unsigned long long steps;

static struct node *node(unsigned number) { return &chunks[number / CHUNK][number % CHUNK]; }

static void *wanted(void *memory) {
    if (!memory) _exit(3);
    return memory;
}

static bits hash(const unsigned char *bytes) {
    bits h = 0x9E3779B97F4A7C15u;
    for (unsigned i = 0; i < SIZE; i++) h = (h ^ bytes[i]) * 0x100000001B3u;
    return h ^ h >> 29;
}

static unsigned *place_of(const unsigned char *bytes) {
    unsigned at = (unsigned)hash(bytes) & (slots - 1);
    while (table[at] && memcmp(node(table[at])->is, bytes, SIZE)) at = (at + 1) & (slots - 1);
    return &table[at];
}

static void grow_table(void) {
    slots = slots ? 2 * slots : 1 << 12;
    free(table);
    table = wanted(calloc(slots, sizeof *table));
    for (unsigned i = 1; i <= nodes; i++) *place_of(node(i)->is) = i;
}

/* How many states of this kind there were. */
static unsigned count_kind(bits key) {
    if (2 * kinds_seen >= kind_slots) {
        unsigned old = kind_slots, *counts = kinds;
        bits *keys = kind_keys;
        kind_slots = old ? 2 * old : 1 << 12;
        kinds = wanted(calloc(kind_slots, sizeof *kinds));
        kind_keys = wanted(calloc(kind_slots, sizeof *kind_keys));
        for (unsigned i = 0; i < old; i++) if (counts[i]) {
            unsigned at = (unsigned)keys[i] & (kind_slots - 1);
            while (kinds[at]) at = (at + 1) & (kind_slots - 1);
            kinds[at] = counts[i], kind_keys[at] = keys[i];
        }
        free(counts), free(keys);
    }
    unsigned at = (unsigned)key & (kind_slots - 1);
    while (kinds[at] && kind_keys[at] != key) at = (at + 1) & (kind_slots - 1);
    if (!kinds[at]) kind_keys[at] = key, kinds_seen++;
    return kinds[at]++;
}

static void reached(const unsigned char *bytes, unsigned parent, unsigned run) {
    unsigned *place = place_of(bytes), queue = 0;
    if (*place) return;
    *place = ++nodes;
    if (nodes / CHUNK == (nodes - 1) / CHUNK + 1) chunks[nodes / CHUNK] = wanted(malloc(CHUNK * sizeof(struct node)));
    struct node *new = node(nodes);
    memcpy(new->is, bytes, SIZE);
    new->parent = parent, new->run = run, new->next = 0;
    for (unsigned k = count_kind(kind(bytes)); k && queue < QUEUES - 1; k /= 2) queue++;
    if (last[queue]) node(last[queue])->next = nodes; else first[queue] = nodes;
    last[queue] = nodes;
    if (2 * nodes >= slots) grow_table();
}

static unsigned following(void) {
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        unsigned number = first[queue];
        if (number) {
            first[queue] = node(number)->next;
            if (!first[queue]) last[queue] = 0;
            return number;
        }
    }
    return 0;
}

/* The inputs on the way to a node, and those of one more step from it. */
static void tell(unsigned number, unsigned run) {
    state after;
    if (node(number)->parent) tell(node(number)->parent, node(number)->run);
    chosen = 0;
    for (unsigned i = 0; i < run; i++) made = 0, step(node(number)->is, after), choose_otherwise();
    made = 0, step(node(number)->is, after);
    for (unsigned i = 0; i < made; i++) printf("%llu\n", (unsigned long long)inputs[i]);
}

int main(void) {
    state now, after;
    unsigned number;
    chunks = wanted(calloc(MOST_STATES / CHUNK + 2, sizeof *chunks));
    chunks[0] = wanted(malloc(CHUNK * sizeof(struct node)));
    grow_table();
    begin(after);
    reached(after, 0, 0);
    while ((number = following()) && nodes < MOST_STATES) {
        unsigned run = 0;
        memcpy(now, node(number)->is, SIZE);
        chosen = 0;
        do {
            made = 0;
            steps++;
            int end = step(now, after);
            if (end == AT_ERROR) {
                printf("error %u %llu\n", nodes, steps);
                tell(number, run);
                return 0;
            }
            if (end == GOES_ON) reached(after, number, run);
        } while (++run < MOST_RUNS && choose_otherwise());
    }
    printf("%s %u %llu\n", number ? "full" : "all", nodes, steps);
    return 0;
}
