/* Minimum-degree order of a block matrix on a quotient graph, and the structure of its factors.
 *
 * Eliminating block p joins all its neighbours to a clique, kept as the list L_p (an "element"), never as
 * edges:
 *
 *     L_p = (V_p + union of L_e, e in E_p) - {p}                                       (A4)
 *
 * where V_i and E_i are the variables and elements next to i. The elements of E_p are absorbed by p, and a
 * variable of L_p forgets the neighbours that p covers, so lists never grow. L_p is also column p of L.
 * The next pivot is the eligible block with the smallest degree, the unknowns of its neighbours, or the bound
 *
 *     d_i <= |V_i| + |L_p - {i}| + sum of |L_e - L_p|, e in E_i - {p}                  (A14)
 *
 * on it, which is exact where i is next to two elements, and takes no union of lists. Among equals a block that
 * is not late goes first. A late block is eligible when all its neighbours in the graph that are not late are
 * eliminated, but for hubs: what is eliminated before its late neighbours joins them all, and of a body with hundreds
 * of joints each can do without it whose branch closes no loop through it. The lists of a hub are brought up to date
 * when half of them may have changed: the time for all its joints is linear in their number. George, Liu: The evolution of the minimum degree ordering algorithm, SIAM Rev. 31 (1989).
 * Amestoy, Davis, Duff: An approximate minimum degree ordering algorithm, SIAM J. Matrix Anal. Appl. 17 (1996).
 *
 * Where late blocks are pivots, D_k is the sum of what both sides of it give, each with all that is eliminated there: a chain of hinges
 * that is eliminated towards the ground has 1/N^3 of it left at its last joint. So the order of what is long goes from the
 * ground, where a late block has the fewest neighbours, to the block that is farthest from it, which is kept for the end (A12).
 *
 * The order is then made a postorder of the elimination tree, largest subtree first: the same factors, in
 * places such that what is written last is read next. */
#include "la/order.h"
#include "base/base.h"

#include <limits.h>
#include <string.h>

/* A block is a hub if at least so many late rows have entries in its column. The joints of a body with fewer make a small
 * clique, and bodies first is what everyday mechanisms were tried with. Late columns do not count: a damper in a joint adds
 * columns of multipliers to the rows of both bodies, which says nothing about the rows left without them. */
#define HUB 9
/* Distance through a graph, squared, over its blocks: 4 for a square mesh, N/3 or more for a chain of N bodies. The order of a
 * mesh gains nothing from an end, and is 10 to 30 % more work with one. */
#define LONG 8

typedef struct quotient {
    int n;
    const int *size;
    int *start, *adj;  /* the symmetrised graph: n + 1, start[n] */
    int *var, *nvar;   /* V_i: at start[i], nvar[i] of them */
    int *elem, *nelem; /* E_i: at eat[i], nelem[i] of them */
    int *late, *wait;  /* n; late, and how many neighbours it waits for */
    int *hub;          /* n; a block that late ones need not wait for; of late ones: can do without hubs */
    int *lp, *llen;    /* L_p: place in list, length; length -1: not eliminated */
    int *absorbed;     /* n */
    int *eat, *room;   /* n: where E_i stands, its places; those of a hub are twice its neighbours */
    int *touched;      /* n; of hubs: eliminations next to it since its degree was found */
    int *sum, *rest;   /* n; of elements: |L_e|, |L_e - L_p| */
    int *kept;         /* n; 1: kept for the end */
    int *mark, stamp;  /* n: a set is all i with mark[i] == stamp */
    int *head, *next, *prev; /* buckets of eligible blocks by key, 2 total + 2; links, n */
    int *key;                /* n; -1: in no bucket */
    int n_heads, lowest;     /* buckets; none below the lowest has a block */
    int *order, *rank;       /* n: k-th block; when a block was eliminated */
    int *list;               /* all L_p, one after the other; grows */
    size_t used, capacity;
    const ph_allocator *alloc;
    void *block;
} quotient;

static void take_ints(int **p, ph_arena *a, size_t count)
{
    *p = ph_arena_take(a, count, sizeof(int));
}

static void lay_quotient(quotient *q, ph_arena *a, size_t nnz, size_t total)
{
    size_t n = (size_t)q->n;
    int **const per_block[] = {&q->nvar,     &q->nelem, &q->late,    &q->wait, &q->hub, &q->lp,    &q->llen,
                               &q->absorbed, &q->mark,  &q->next,    &q->prev, &q->key, &q->order, &q->rank,
                               &q->eat,      &q->room,  &q->touched, &q->kept, &q->sum, &q->rest};
    for (size_t i = 0; i < sizeof per_block / sizeof *per_block; i++)
        take_ints(per_block[i], a, n);
    take_ints(&q->start, a, n + 2);
    take_ints(&q->adj, a, 2 * nnz);
    take_ints(&q->var, a, 2 * nnz);
    take_ints(&q->elem, a, 4 * nnz);
    take_ints(&q->head, a, 2 * total + 2);
}

/* Neighbours of each block, each once. start has one place more than it will keep: counts are shifted by
 * two. */
static void symmetrise(quotient *q, const ph_graph *g)
{
    int n = q->n, *at = q->start + 1;
    for (int e = 0; e < g->nnz; e++)
        if (g->row[e] != g->col[e])
            at[g->row[e] + 1]++, at[g->col[e] + 1]++;
    for (int i = 0; i < n; i++)
        at[i + 1] += at[i];
    for (int e = 0; e < g->nnz; e++)
        if (g->row[e] != g->col[e]) {
            q->adj[at[g->row[e]]++] = g->col[e];
            q->adj[at[g->col[e]]++] = g->row[e];
        }
    int to = 0, from = 0;
    for (int i = 0; i < n; i++) {
        int end = q->start[i + 1];
        q->start[i] = to;
        q->stamp++;
        for (; from < end; from++) {
            int j = q->adj[from];
            if (q->mark[j] != q->stamp)
                q->mark[j] = q->stamp, q->adj[to++] = j;
        }
    }
    q->start[n] = to;
    memcpy(q->var, q->adj, (size_t)to * sizeof(int));
}

static void bucket_remove(quotient *q, int i)
{
    if (q->key[i] < 0)
        return;
    if (q->prev[i] >= 0)
        q->next[q->prev[i]] = q->next[i];
    else
        q->head[q->key[i]] = q->next[i];
    if (q->next[i] >= 0)
        q->prev[q->next[i]] = q->prev[i];
    q->key[i] = -1;
}

static void bucket_insert(quotient *q, int i, int degree)
{
    int key = 2 * degree + q->late[i];
    bucket_remove(q, i);
    q->key[i] = key;
    q->prev[i] = -1;
    q->next[i] = q->head[key];
    if (q->head[key] >= 0)
        q->prev[q->head[key]] = i;
    q->head[key] = i;
    if (key < q->lowest)
        q->lowest = key;
}

static int is_hub(const quotient *q, int i)
{
    return q->hub[i] && !q->late[i];
}

/* Hub i forgets what is eliminated or absorbed. */
static void refresh(quotient *q, int i)
{
    int *v = q->var + q->start[i], *e = q->elem + q->eat[i], nv = 0, ne = 0;
    for (int k = 0; k < q->nvar[i]; k++)
        if (q->llen[v[k]] < 0)
            v[nv++] = v[k];
    for (int k = 0; k < q->nelem[i]; k++)
        if (!q->absorbed[e[k]])
            e[ne++] = e[k];
    q->nvar[i] = nv, q->nelem[i] = ne;
}

/* Unknowns next to i. */
static int degree(quotient *q, int i)
{
    int d = 0;
    if (is_hub(q, i))
        refresh(q, i), q->touched[i] = 0;
    q->stamp++;
    q->mark[i] = q->stamp;
    for (int k = 0; k < q->nvar[i]; k++) {
        int j = q->var[q->start[i] + k];
        q->mark[j] = q->stamp, d += q->size[j];
    }
    for (int k = 0; k < q->nelem[i]; k++) {
        int e = q->elem[q->eat[i] + k];
        const int *l = q->list + q->lp[e];
        for (int t = 0; t < q->llen[e]; t++)
            if (q->mark[l[t]] != q->stamp)
                q->mark[l[t]] = q->stamp, d += q->size[l[t]];
    }
    return d;
}

/* Late blocks can do without hubs where the rows that remain without the columns of hubs are independent.
 * One is if unknowns of its own, next to no other, are as many as its rows: it is set aside, and others may
 * have unknowns of their own then. So branches that hang on a hub are taken apart from their ends. What is
 * left closes loops: of these blocks the smallest that has a hub waits for it, and the rest goes on.
 * Multipliers of the second kind have unknowns for themselves: [kind].
 * Arrays of the quotient graph that are not yet in use serve. */
typedef struct branches {
    quotient *q;
    int *kind;     /* n, of late blocks */
    int *left[2];  /* n: late blocks that are left next to an unknown block */
    int *which[2]; /* n: exclusive or of their numbers: the last one's, when one is left */
    int *own;      /* n: unknowns of its own; -1: it is set aside or waits */
    int *queue, n_queue;
} branches;

static void note_own(branches *b, int j, int kind)
{
    quotient *q = b->q;
    int i = b->which[kind][j];
    if (q->hub[j] || b->left[kind][j] != 1 || b->own[i] < 0)
        return;
    int before = b->own[i] >= q->size[i];
    b->own[i] += q->size[j];
    if (!before && b->own[i] >= q->size[i])
        b->queue[b->n_queue++] = i;
}

/* Rows of late block i are left no more. */
static void set_aside(branches *b, int i)
{
    quotient *q = b->q;
    int kind = b->kind[i];
    b->own[i] = -1;
    for (int k = q->start[i]; k < q->start[i] + q->nelem[i]; k++) {
        int j = q->elem[k];
        b->left[kind][j]--, b->which[kind][j] ^= i;
        note_own(b, j, kind);
    }
}

/* Blocks next to each late block by its rows, at start[i] of elem, nelem[i] of them. */
static void list_rows(branches *b, const ph_graph *g)
{
    quotient *q = b->q;
    for (int i = 0; i < q->n; i++)
        b->kind[i] = q->late[i] && g->late[i] == PH_LATE_SECOND;
    for (int e = 0; e < g->nnz; e++) {
        int i = g->row[e], j = g->col[e];
        if (!q->late[i] || q->late[j])
            continue;
        q->elem[q->start[i] + q->nelem[i]++] = j;
        b->left[b->kind[i]][j]++, b->which[b->kind[i]][j] ^= i;
    }
}

static int has_hub(const quotient *q, int i)
{
    for (int k = q->start[i]; k < q->start[i] + q->nelem[i]; k++)
        if (q->hub[q->elem[k]])
            return 1;
    return 0;
}

static void take_apart(branches *b)
{
    quotient *q = b->q;
    int next = 0, largest = 0, size = 1;
    for (int i = 0; i < q->n; i++)
        largest = q->late[i] && q->size[i] > largest ? q->size[i] : largest;
    for (int j = 0; j < q->n; j++)
        for (int kind = 0; kind < 2 && !q->late[j]; kind++)
            note_own(b, j, kind);
    for (;;) {
        while (b->n_queue > 0)
            set_aside(b, b->queue[--b->n_queue]);
        for (; size <= largest; next = 0, size++) {
            for (; next < q->n; next++)
                if (q->late[next] && q->size[next] == size && b->own[next] >= 0 && has_hub(q, next))
                    break;
            if (next < q->n)
                break;
        }
        if (size > largest)
            break;
        q->hub[next] = 0;
        set_aside(b, next);
    }
}

/* Find the hubs, and the late blocks that can do without them. */
static void find_hubs(quotient *q, const ph_graph *g)
{
    branches b = {.q = q,
                  .kind = q->key,
                  .left = {q->order, q->rank},
                  .which = {q->next, q->prev},
                  .own = q->lp,
                  .queue = q->llen};
    int any = 0;
    list_rows(&b, g);
    for (int i = 0; i < q->n; i++) {
        int is_hub_by_rows = b.left[0][i] + b.left[1][i] >= HUB;
        q->hub[i] = q->late[i] || is_hub_by_rows;
        any |= is_hub_by_rows;
    }
    if (any)
        take_apart(&b);
    memset(q->nelem, 0, (size_t)q->n * sizeof(int));
}

static int waits(const quotient *q, int i, int j)
{
    return q->late[i] && !q->late[j] && !(q->hub[i] && q->hub[j]);
}

/* Unknowns next to block i in the graph. */
static int width(const quotient *q, int i)
{
    int sum = 0;
    for (int k = q->start[i]; k < q->start[i + 1]; k++)
        sum += q->size[q->adj[k]];
    return sum;
}

/* All blocks that a path joins with i, and how far they are, nearest first; marks them. Returns the end of the list. */
static int spread(quotient *q, int i, int *list, int *far)
{
    int end = 1;
    list[0] = i, far[i] = 0, q->mark[i] = q->stamp;
    for (int at = 0; at < end; at++)
        for (int k = q->start[list[at]]; k < q->start[list[at] + 1]; k++) {
            int j = q->adj[k];
            if (q->mark[j] != q->stamp)
                q->mark[j] = q->stamp, far[j] = far[list[at]] + 1, list[end++] = j;
        }
    return end;
}

/* The late block of a list with the fewest unknowns next to it; -1: none is late. */
static int find_ground(const quotient *q, const int *list, int end)
{
    int ground = -1, least = 0;
    for (int t = 0; t < end; t++) {
        int w = q->late[list[t]] ? width(q, list[t]) : 0;
        if (w > 0 && (ground < 0 || w < least))
            ground = list[t], least = w;
    }
    return ground;
}

/* In each part of the graph that is long: the block farthest from the ground that is not a late one or a hub (A12). */
static void find_kept(quotient *q)
{
    int *list = q->order, *far = q->rank; /* not yet in use */
    q->stamp++;
    for (int i = 0; i < q->n; i++) {
        if (q->mark[i] == q->stamp)
            continue;
        int end = spread(q, i, list, far), ground = find_ground(q, list, end), count = end;
        if (ground < 0)
            continue;
        for (int t = 0; t < end; t++)
            q->mark[list[t]] = 0;
        spread(q, ground, list, far);
        while (end > 0 && (q->late[list[end - 1]] || q->hub[list[end - 1]]))
            end--;
        if (end > 0 && (double)far[list[end - 1]] * far[list[end - 1]] >= LONG * (double)count)
            q->kept[list[end - 1]] = 1, q->wait[list[end - 1]]++;
    }
}

static void quotient_begin(quotient *q, const ph_graph *g)
{
    symmetrise(q, g);
    for (int i = 0; i < q->n; i++) {
        q->late[i] = g->late && g->late[i];
        q->nvar[i] = q->start[i + 1] - q->start[i];
    }
    find_hubs(q, g);
    for (int i = 0, at = 0; i < q->n; at += q->room[i++])
        q->eat[i] = at, q->room[i] = (is_hub(q, i) ? 2 : 1) * q->nvar[i];
    for (int i = 0; i < q->n; i++)
        q->llen[i] = q->key[i] = -1;
    for (int i = 0; i < q->n; i++)
        for (int k = q->start[i]; k < q->start[i + 1]; k++)
            q->wait[i] += waits(q, i, q->adj[k]);
    find_kept(q);
    for (int i = q->n - 1; i >= 0; i--) /* the first of equals ends up in front */
        if (!q->wait[i])
            bucket_insert(q, i, degree(q, i));
}

static int reserve(quotient *q, size_t more)
{
    if (q->list && q->used + more <= q->capacity)
        return 1;
    size_t capacity = 2 * (q->used + more) + 1;
    if (capacity > INT_MAX)
        return 0;
    int *list = ph_alloc(q->alloc, capacity * sizeof(int));
    if (!list)
        return 0;
    if (q->used)
        memcpy(list, q->list, q->used * sizeof(int));
    ph_free(q->alloc, q->list);
    q->list = list, q->capacity = capacity;
    return 1;
}

/* L_p of (A4); 0: no memory. */
static int make_element(quotient *q, int p)
{
    if (is_hub(q, p))
        refresh(q, p);
    size_t bound = (size_t)q->nvar[p];
    for (int k = 0; k < q->nelem[p]; k++)
        bound += (size_t)q->llen[q->elem[q->eat[p] + k]];
    if (!reserve(q, bound))
        return 0;
    int *l = q->list + q->used, len = 0;
    q->stamp++;
    q->mark[p] = q->stamp;
    for (int k = 0; k < q->nvar[p]; k++) {
        int j = q->var[q->start[p] + k];
        q->mark[j] = q->stamp, l[len++] = j;
    }
    for (int k = 0; k < q->nelem[p]; k++) {
        int e = q->elem[q->eat[p] + k];
        const int *le = q->list + q->lp[e];
        for (int t = 0; t < q->llen[e]; t++)
            if (q->mark[le[t]] != q->stamp)
                q->mark[le[t]] = q->stamp, l[len++] = le[t];
        q->absorbed[e] = 1;
    }
    q->lp[p] = (int)q->used, q->llen[p] = len;
    q->used += (size_t)len;
    return 1;
}

/* Variable i of L_p forgets what p covers: marked variables and absorbed elements. */
static void prune(quotient *q, int i, int p)
{
    int *v = q->var + q->start[i], *e = q->elem + q->eat[i], nv = 0, ne = 0;
    if (is_hub(q, i)) {
        if (q->nelem[i] == q->room[i])
            refresh(q, i);
        e[q->nelem[i]++] = p;
        return;
    }
    for (int k = 0; k < q->nvar[i]; k++)
        if (q->mark[v[k]] != q->stamp)
            v[nv++] = v[k];
    for (int k = 0; k < q->nelem[i]; k++)
        if (!q->absorbed[e[k]])
            e[ne++] = e[k];
    e[ne++] = p;
    q->nvar[i] = nv, q->nelem[i] = ne;
}

/* Hub i keeps the degree it had: less than half of its lists may have changed. */
static int can_stay(quotient *q, int i)
{
    return is_hub(q, i) && 2 * ++q->touched[i] < q->nvar[i] + q->nelem[i];
}

/* For all elements next to L_p. A hub does not count as one of both: its list of elements is long, and the bound still one. */
static void find_rests(quotient *q, int p)
{
    const int *l = q->list + q->lp[p];
    q->stamp++;
    for (int t = 0; t < q->llen[p]; t++) {
        int i = l[t];
        q->sum[p] += q->size[i];
        for (int k = 0; k < q->nelem[i] && !is_hub(q, i); k++) {
            int e = q->elem[q->eat[i] + k];
            if (q->mark[e] != q->stamp)
                q->mark[e] = q->stamp, q->rest[e] = q->sum[e];
            q->rest[e] -= q->size[i];
        }
    }
    q->rest[p] = q->sum[p];
}

/* (A14), and not more than there are; exact of a hub */
static int bound(quotient *q, int i)
{
    int d = -q->size[i], all = q->n_heads / 2 - 1;
    if (is_hub(q, i))
        return degree(q, i);
    for (int k = 0; k < q->nvar[i]; k++)
        d += q->size[q->var[q->start[i] + k]];
    for (int k = 0; k < q->nelem[i]; k++)
        d += q->rest[q->elem[q->eat[i] + k]];
    return d < all ? d : all;
}

static int eliminate(quotient *q, int p)
{
    bucket_remove(q, p);
    if (!make_element(q, p))
        return 0;
    const int *l = q->list + q->lp[p];
    for (int t = 0; t < q->llen[p]; t++)
        prune(q, l[t], p);
    for (int k = q->start[p]; k < q->start[p + 1]; k++)
        q->wait[q->adj[k]] -= waits(q, q->adj[k], p);
    find_rests(q, p);
    for (int t = 0; t < q->llen[p]; t++)
        if (!q->wait[l[t]] && !can_stay(q, l[t]))
            bucket_insert(q, l[t], bound(q, l[t]));
    return 1;
}

/* All others are eliminated, or wait for these. */
static void release_kept(quotient *q)
{
    for (int i = 0; i < q->n; i++)
        if (q->kept[i])
            q->wait[i]--, bucket_insert(q, i, degree(q, i));
}

static int minimum_degree(quotient *q)
{
    for (int k = 0; k < q->n; k++) {
        while (q->lowest < q->n_heads && q->head[q->lowest] < 0)
            q->lowest++;
        if (q->lowest == q->n_heads) {
            release_kept(q);
            k--;
            continue;
        }
        int p = q->head[q->lowest];
        if (q->touched[p]) {
            bucket_insert(q, p, degree(q, p));
            k--;
            continue;
        }
        if (!eliminate(q, p))
            return 0;
        q->order[k] = p;
        q->rank[p] = k;
    }
    return 1;
}

/* Make order a postorder of the elimination tree, children by falling size of their subtrees.
 * The quotient graph is done with: its arrays serve as parent, weight, child and sibling. */
static void postorder(quotient *q)
{
    int n = q->n, *parent = q->wait, *weight = q->nvar, *child = q->nelem, *sibling = q->next,
        *stack = q->prev;
    for (int i = 0; i < n; i++)
        weight[i] = 1, child[i] = -1, sibling[i] = -1;
    for (int k = 0; k < n; k++) {
        int p = q->order[k], up = -1;
        for (int t = 0; t < q->llen[p]; t++) {
            int j = q->list[q->lp[p] + t];
            if (up < 0 || q->rank[j] < q->rank[up])
                up = j;
        }
        parent[p] = up;
        if (up >= 0)
            weight[up] += weight[p];
    }
    for (int k = n - 1; k >= 0; k--) { /* the heaviest child comes first */
        int p = q->order[k], *at = parent[p] < 0 ? NULL : &child[parent[p]];
        if (!at)
            continue;
        if (*at >= 0 && weight[*at] > weight[p])
            at = &sibling[*at];
        sibling[p] = *at;
        *at = p;
    }
    int count = 0;
    memcpy(q->key, q->order, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++) {
        int top = 0;
        if (parent[q->key[k]] >= 0)
            continue;
        stack[top++] = q->key[k];
        while (top > 0) {
            int p = stack[top - 1], c = child[p];
            if (c >= 0) {
                child[p] = sibling[c];
                stack[top++] = c;
            } else {
                q->order[count] = p, q->rank[p] = count++;
                top--;
            }
        }
    }
}

static void lay_structure(ph_structure *s, ph_arena *a, size_t nnz)
{
    size_t n = (size_t)s->n;
    take_ints(&s->order, a, n);
    take_ints(&s->start, a, n + 2);
    take_ints(&s->above, a, nnz);
    take_ints(&s->first, a, n + 2);
    take_ints(&s->below, a, nnz);
}

/* Number the lists L_p by elimination and sort them: transposed twice. */
static void fill_structure(ph_structure *s, const quotient *q)
{
    int n = s->n, *at = s->first + 1;
    memcpy(s->order, q->order, (size_t)n * sizeof(int));
    for (int p = 0; p < n; p++)
        for (int t = 0; t < q->llen[p]; t++)
            at[q->rank[q->list[q->lp[p] + t]] + 1]++;
    for (int k = 0; k < n; k++)
        at[k + 1] += at[k];
    for (int k = 0; k < n; k++) {
        int p = q->order[k];
        s->start[k + 1] = s->start[k] + q->llen[p];
        for (int t = 0; t < q->llen[p]; t++)
            s->below[at[q->rank[q->list[q->lp[p] + t]]]++] = k;
    }
    int *next = q->key;
    memcpy(next, s->start, (size_t)n * sizeof(int));
    for (int i = 0; i < n; i++)
        for (int t = s->first[i]; t < s->first[i + 1]; t++)
            s->above[next[s->below[t]]++] = i;
}

ph_status ph_order(ph_structure *out, const ph_graph *g, const ph_allocator *alloc)
{
    quotient q = {.n = g->n, .size = g->size, .alloc = alloc};
    ph_arena a = {0}, b = {0};
    size_t total = 0;
    ph_status status = PH_E_MEMORY;
    *out = (ph_structure){.n = g->n};
    for (int i = 0; i < g->n; i++)
        total += (size_t)g->size[i];
    lay_quotient(&q, &a, (size_t)g->nnz, total);
    if (!ph_arena_open(&a, alloc))
        return status;
    lay_quotient(&q, &a, (size_t)g->nnz, total);
    memset(q.head, -1, (2 * total + 2) * sizeof(int));
    q.n_heads = q.lowest = (int)(2 * total + 2);
    quotient_begin(&q, g);
    if (minimum_degree(&q)) {
        postorder(&q);
        lay_structure(out, &b, q.used);
        if (ph_arena_open(&b, alloc)) {
            lay_structure(out, &b, q.used);
            fill_structure(out, &q);
            out->block = b.block;
            status = PH_OK;
        }
    }
    ph_free(alloc, q.list);
    ph_free(alloc, a.block);
    return status;
}

void ph_structure_free(ph_structure *s, const ph_allocator *alloc)
{
    ph_free(alloc, s->block);
    s->block = NULL;
}

ph_status ph_order_open(ph_structure *out, const ph_graph *g, const ph_allocator *alloc)
{
    if (!g->ordered)
        return ph_order(out, g, alloc);
    *out = *g->ordered;
    return PH_OK;
}

void ph_order_close(ph_structure *s, const ph_graph *g, const ph_allocator *alloc)
{
    if (!g->ordered)
        ph_structure_free(s, alloc);
}
