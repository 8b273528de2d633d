
#define BLOCK        64
#define NQ           ((int)(sizeof(((member *)0)->q) / sizeof(double)))
#define NV           ((int)(sizeof(((member *)0)->v) / sizeof(double)))
#define VALUES       (SENSORS + NQ)
#define BINS         1024
#define SETTINGS     32
#define HOST_MEMBERS 8

/* Threads that look at all members, each with sums of its own. */
#define ROOM    ((1 << 22) / VALUES)
#define LOOKERS (ROOM > 4096 ? 4096 : ROOM > BLOCK ? ROOM / BLOCK * BLOCK : BLOCK)

/* ---- memory of the device -------------------------------------------------------------------------------- */

static char trouble[200]; /* what went wrong first */

#ifdef __CUDACC__
static int is_well(cudaError_t e)
{
    if (e != cudaSuccess && !trouble[0])
        snprintf(trouble, sizeof trouble, "the device: %s", cudaGetErrorString(e));
    return !trouble[0];
}

static void *take(size_t bytes)
{
    void *p = NULL;
    if (is_well(cudaMalloc(&p, bytes)))
        is_well(cudaMemset(p, 0, bytes));
    return p;
}

static void give_back(void *p)
{
    cudaFree(p);
}

static void put(void *to, const void *from, size_t bytes)
{
    if (!trouble[0])
        is_well(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
}

static void get(void *to, const void *from, size_t bytes)
{
    if (!trouble[0])
        is_well(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

static void wait_for_it(void)
{
    if (is_well(cudaGetLastError()))
        is_well(cudaDeviceSynchronize());
}

static int is_there(void)
{
    int n = 0;
    return is_well(cudaGetDeviceCount(&n)) && n > 0;
}
#else
static void *take(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p)
        snprintf(trouble, sizeof trouble, "not enough memory for the members");
    return p;
}

static void give_back(void *p)
{
    free(p);
}

static void put(void *to, const void *from, size_t bytes)
{
    if (!trouble[0])
        memcpy(to, from, bytes);
}

static void get(void *to, const void *from, size_t bytes)
{
    if (!trouble[0])
        memcpy(to, from, bytes);
}

static void wait_for_it(void)
{
}

static int is_there(void)
{
    return 1;
}
#endif

/* ---- steps -------------------------------------------------------------------------------------------------- */

/* A member that fails keeps the state before the step that does. */
KERNEL advance(member *all, long members, long steps, byte *failed, double *iterations)
{
    long i = THREAD;
    if (i >= members || failed[i])
        return;
    member s = all[i];
    double sum = 0;
    unsigned bad = 0;
    for (long k = 0; k < steps && !bad; k++) {
        bad = ON_DEVICE(MODEL_step)(&s);
        sum += s.iterations;
    }
    all[i] = s;
    failed[i] = bad != 0;
    if (iterations)
        iterations[i] += sum;
}

#ifdef PH_LIBRARY

KERNEL look(const member *all, long members, double *sensors)
{
    long i = THREAD;
    if (i < members)
        sensors_of(&all[i], sensors + i * SENSORS);
}

/* Members of the caller: all numbers of each before, and after so many steps; numbers of sensors, failures and the sum of
 * iterations of each. NULL, or a sentence that says what is wrong. */
EXPORT const char *ph_ensemble_run(long members, double *state, long steps, double *sensors, double *iterations,
                                   byte *failed)
{
    size_t n = (size_t)members;
    trouble[0] = 0;
    if (!is_there() && !trouble[0])
        snprintf(trouble, sizeof trouble, "there is no device");
    if (trouble[0])
        return trouble;
    member *all = (member *)take(n * sizeof *all);
    byte *bad = (byte *)take(n);
    double *sum = (double *)take(n * sizeof *sum), *numbers = (double *)take(n * (SENSORS + 1) * sizeof *numbers);
    put(all, state, n * sizeof *all);
    if (!trouble[0]) {
        LAUNCH(advance, members, all, members, steps, bad, sum);
        LAUNCH(look, members, all, members, numbers);
        wait_for_it();
    }
    get(state, all, n * sizeof *all);
    get(failed, bad, n);
    get(iterations, sum, n * sizeof *sum);
    get(sensors, numbers, n * SENSORS * sizeof *numbers);
    give_back(all), give_back(bad), give_back(sum), give_back(numbers);
    return trouble[0] ? trouble : NULL;
}

#else

/* ---- initial values ------------------------------------------------------------------------------------------- */

/* One number of all members: anywhere from low to high, or of a column of the table. */
typedef struct setting {
    int place, column; /* -1: none */
    double low, high;
} setting;

typedef struct settings {
    int n, columns;
    double spread;
    const double *table; /* members x columns; NULL: none */
    setting of[SETTINGS];
} settings;

/* In [-1, 1], of member i; the same on both sides (splitmix64). */
BOTH double u_of(long i, int what)
{
    count z = (count)(i + 1) * 0x9e3779b97f4a7c15ull + (count)what * 0xd1342543de82ef95ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (double)((z ^ z >> 31) >> 11) / (double)(1ull << 52) - 1;
}

BOTH double value_of(const settings *x, int k, long i)
{
    const setting *a = &x->of[k];
    if (a->column >= 0)
        return x->table[i * x->columns + a->column];
    return a->low + (a->high - a->low) * (u_of(i, k + 1) + 1) / 2;
}

/* Numbers of the state, after parameters; 0: there are none. */
BOTH int set_numbers(member *s, const settings *x, long i, int parameters)
{
    int n = 0;
    for (int k = 0; k < x->n; k++)
        if ((x->of[k].place >= FIRST_PARAMETER) == parameters)
            ((double *)s)[x->of[k].place] = value_of(x, k, i), n++;
    for (int k = 0; k < NV && x->spread != 0 && !parameters; k++)
        s->v[k] = (1 + x->spread * u_of(i, 0)) * s->v[k];
    return n + (x->spread != 0 && !parameters);
}

KERNEL start(member *all, long members, settings x, byte *failed)
{
    long i = THREAD;
    if (i >= members)
        return;
    ON_DEVICE(MODEL_init)(&all[i]);
    unsigned bad = set_numbers(&all[i], &x, i, 1) ? ON_DEVICE(MODEL_BEGIN)(&all[i]) : 0;
    if (!bad && set_numbers(&all[i], &x, i, 0))
        bad = ON_DEVICE(MODEL_restart)(&all[i]);
    failed[i] = bad != 0;
}

static unsigned start_on_host(member *s, const settings *x, long i)
{
    memset(s, 0, sizeof *s);
    MODEL_init(s);
    unsigned bad = set_numbers(s, x, i, 1) ? MODEL_BEGIN(s) : 0;
    return !bad && set_numbers(s, x, i, 0) ? MODEL_restart(s) : bad;
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

/* How many numbers of one value are finite, their sum and extremes. */
typedef struct extent {
    double n, sum, low, high;
} extent;

DEVICE void values_of(const member *s, double *x)
{
    sensors_of(s, x);
    for (int k = 0; k < NQ; k++)
        x[SENSORS + k] = s->q[k];
}

/* Each of LOOKERS threads has its own sums, which the host adds in their order: the same bits every time. */
KERNEL measure(const member *all, long members, const byte *failed, extent *own)
{
    extent *e = own + THREAD * VALUES;
    double x[VALUES];
    if (THREAD >= LOOKERS)
        return;
    for (int k = 0; k < VALUES; k++)
        e[k].n = e[k].sum = 0, e[k].low = DBL_MAX, e[k].high = -DBL_MAX;
    for (long i = THREAD; i < members; i += LOOKERS) {
        if (failed[i])
            continue;
        values_of(&all[i], x);
        for (int k = 0; k < VALUES; k++)
            if (x[k] - x[k] == 0) {
                e[k].n += 1, e[k].sum += x[k];
                e[k].low = x[k] < e[k].low ? x[k] : e[k].low;
                e[k].high = x[k] > e[k].high ? x[k] : e[k].high;
            }
    }
}

/* Squares of what is left without the mean, and how many there are in each part between the extremes. */
KERNEL sort_in(const member *all, long members, const byte *failed, const extent *whole, double *squares, count *bins)
{
    double *own = squares + THREAD * VALUES, x[VALUES];
    if (THREAD >= LOOKERS)
        return;
    for (int k = 0; k < VALUES; k++)
        own[k] = 0;
    for (long i = THREAD; i < members; i += LOOKERS) {
        if (failed[i])
            continue;
        values_of(&all[i], x);
        for (int k = 0; k < VALUES; k++)
            if (x[k] - x[k] == 0) {
                double d = x[k] - whole[k].sum / whole[k].n, width = whole[k].high - whole[k].low;
                int bin = width > 0 ? (int)((x[k] - whole[k].low) / width * BINS) : 0;
                own[k] += d * d;
                COUNT_ONE_MORE(&bins[k * BINS + (bin < BINS ? bin : BINS - 1)]);
            }
    }
}

/* Below which a part of all lies. */
static double quantile(const extent *e, const count *bins, double part)
{
    double target = part * e->n, below = 0;
    int k = 0;
    while (k < BINS - 1 && below + (double)bins[k] < target)
        below += (double)bins[k++];
    double inside = bins[k] ? (target - below) / (double)bins[k] : 0;
    return e->low + (e->high - e->low) * (k + (inside < 1 ? inside : 1)) / BINS;
}

static void print_value(int k, const extent *e, double variance, const count *bins)
{
    if (k < SENSORS)
        printf("%s", sensor_name[k]);
    else
        printf("q[%d]", k - SENSORS);
    printf(" mean %.15g  deviation %.9g  min %.15g  max %.15g  5%% %.6g  25%% %.6g  50%% %.6g  75%% %.6g  95%% %.6g\n",
           e->sum / e->n, sqrt(variance), e->low, e->high, quantile(e, bins, 0.05), quantile(e, bins, 0.25),
           quantile(e, bins, 0.5), quantile(e, bins, 0.75), quantile(e, bins, 0.95));
}

static void add_up(const extent *own, extent *whole)
{
    for (int k = 0; k < VALUES; k++) {
        extent e = {0, 0, DBL_MAX, -DBL_MAX};
        for (int i = 0; i < LOOKERS; i++) {
            const extent *o = &own[i * VALUES + k];
            e.n += o->n, e.sum += o->sum;
            e.low = o->low < e.low ? o->low : e.low, e.high = o->high > e.high ? o->high : e.high;
        }
        whole[k] = e;
    }
}

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_statistics(const member *all, long members, const byte *failed)
{
    size_t own_size = sizeof(extent) * LOOKERS * VALUES, bins_size = sizeof(count) * VALUES * BINS;
    size_t squares_size = sizeof(double) * LOOKERS * VALUES;
    extent *own = (extent *)take(own_size), *on_device = (extent *)take(sizeof(extent) * VALUES);
    double *squares = (double *)take(squares_size), *h_squares = (double *)malloc(squares_size);
    count *bins = (count *)take(bins_size), *h_bins = (count *)malloc(bins_size);
    extent *h_own = (extent *)malloc(own_size), whole[VALUES];
    double before = seconds();
    if (!trouble[0] && h_own && h_squares && h_bins) {
        LAUNCH(measure, LOOKERS, all, members, failed, own);
        get(h_own, own, own_size);
        add_up(h_own, whole);
        put(on_device, whole, sizeof whole);
        LAUNCH(sort_in, LOOKERS, all, members, failed, on_device, squares, bins);
        get(h_squares, squares, squares_size);
        get(h_bins, bins, bins_size);
        printf("statistics of %d values: %.4f s\n", VALUES, seconds() - before);
    }
    for (int k = 0; k < VALUES && !trouble[0] && h_own && h_squares && h_bins; k++) {
        double sum = 0;
        for (int i = 0; i < LOOKERS; i++)
            sum += h_squares[i * VALUES + k];
        if (whole[k].n > 0)
            print_value(k, &whole[k], sum / whole[k].n, h_bins + k * BINS);
    }
    give_back(own), give_back(on_device), give_back(squares), give_back(bins);
    free(h_own), free(h_squares), free(h_bins);
}

/* ---- the host ------------------------------------------------------------------------------------------------------ */

/* How many of the first members have the bits of the host. */
static int compare(const member *all, long members, long steps, const settings *on_host, int n, double *apart)
{
    member first[HOST_MEMBERS], s;
    int same = 0;
    get(first, all, sizeof(member) * (size_t)n);
    *apart = 0;
    for (int i = 0; i < n && i < members; i++) {
        unsigned bad = start_on_host(&s, on_host, i);
        for (long k = 0; k < steps && !bad; k++)
            bad = MODEL_step(&s);
        same += !memcmp(s.q, first[i].q, sizeof s.q) && !memcmp(s.v, first[i].v, sizeof s.v);
        for (int k = 0; k < NQ; k++)
            *apart = fmax(*apart, fabs(s.q[k] - first[i].q[k]));
    }
    return same;
}

/* ---- the command line ------------------------------------------------------------------------------------------------ */

static int refuse(const char *what, const char *word)
{
    fprintf(stderr, "MODEL_ensemble: '%s': %s\n", word, what);
    return 0;
}

/* Its place in the struct; -1: there is nothing of that name. */
static int find(const char *name, size_t length)
{
    int k, end = 0;
    for (const settable *a = settables; a->name; a++)
        if (strlen(a->name) == length && !strncmp(a->name, name, length))
            return a->place;
    if (sscanf(name, "q[%d]%n", &k, &end) == 1 && (size_t)end == length && k >= 0 && k < NQ)
        return PLACE_OF(q) + k;
    if (sscanf(name, "v[%d]%n", &k, &end) == 1 && (size_t)end == length && k >= 0 && k < NV)
        return PLACE_OF(v) + k;
    return -1;
}

static int add(settings *x, const char *name, size_t length, setting a)
{
    a.place = find(name, length);
    if (a.place < 0)
        return refuse("there is no open parameter, input, q[k] or v[k] of that name", name);
    if (x->n == SETTINGS)
        return refuse("too many numbers are set", name);
    x->of[x->n++] = a;
    return 1;
}

/* m=1:2, m=1 */
static int read_range(settings *x, const char *word)
{
    const char *equal = strchr(word, '='), *from = equal + 1;
    setting a = {0, -1, 0, 0};
    char *end;
    a.low = a.high = strtod(from, &end);
    if (end > from && *end == ':') {
        from = end + 1;
        a.high = strtod(from, &end);
    }
    if (end == from || *end)
        return refuse("it must be NAME=VALUE or NAME=LOW:HIGH", word);
    return add(x, word, (size_t)(equal - word), a);
}

static int read_names(settings *x, char *line)
{
    for (char *p = strtok(line, ", \r\n"); p; p = strtok(NULL, ", \r\n")) {
        setting a = {0, x->columns++, 0, 0};
        if (!add(x, p, strlen(p), a))
            return 0;
    }
    return 1;
}

/* A line of names, then a line for each member. 0: refused. */
static int read_table(settings *x, const char *path, long members)
{
    static char line[4096];
    FILE *in = fopen(path, "r");
    int ok = (in && fgets(line, sizeof line, in)) || refuse("it cannot be read", path);
    ok = ok && read_names(x, line);
    double *table = ok ? (double *)malloc(sizeof(double) * (size_t)(members * x->columns + 1)) : NULL;
    x->table = table;
    for (long i = 0; ok && i < members * x->columns; i++) {
        ok = (table && fscanf(in, "%lf", &table[i]) == 1) ||
             refuse("it has fewer lines than there are members, or what is no number", path);
        int c = ok ? fgetc(in) : 0;
        if (ok && c != ',')
            ungetc(c, in);
    }
    if (in)
        fclose(in);
    return ok;
}

/* The third word and all that follow. */
static int read_settings(int argc, char **argv, settings *x, long members)
{
    for (int i = 3; i < argc; i++) {
        char *end;
        double number = strtod(argv[i], &end);
        int ok = 1;
        if (strchr(argv[i], '='))
            ok = read_range(x, argv[i]);
        else if (end > argv[i] && !*end)
            x->spread = number;
        else if (x->table)
            ok = refuse("there is a table already", argv[i]);
        else
            ok = read_table(x, argv[i], members);
        if (!ok)
            return 0;
    }
    return 1;
}

/* ---- the program ------------------------------------------------------------------------------------------------------- */

static int run(long members, long steps, const settings *on_host)
{
    size_t table_size = sizeof(double) * (size_t)members * (size_t)on_host->columns;
    member *all = (member *)take(sizeof(member) * (size_t)members);
    byte *failed = (byte *)take((size_t)members), *host_failed = (byte *)malloc((size_t)members);
    double *table = on_host->table ? (double *)take(table_size) : NULL, apart = 0, wall = 0;
    settings on_device = *on_host;
    int n = members < HOST_MEMBERS ? (int)members : HOST_MEMBERS, same = 0;
    long lost = 0;
    on_device.table = table;
    if (table)
        put(table, on_host->table, table_size);
    if (!host_failed)
        snprintf(trouble, sizeof trouble, "not enough memory for the members");
    if (!trouble[0]) {
        LAUNCH(start, members, all, members, on_device, failed);
        wait_for_it();
        double before = seconds();
        LAUNCH(advance, members, all, members, steps, failed, (double *)NULL);
        wait_for_it();
        wall = seconds() - before;
        get(host_failed, failed, (size_t)members);
        same = compare(all, members, steps, on_host, n, &apart);
    }
    for (long i = 0; i < members && !trouble[0]; i++)
        lost += host_failed[i];
    if (!trouble[0]) {
        printf("members %ld  steps %ld  failed %ld  wall %.4f s  %.4e steps/s  %zu bytes/member\n", members, steps, lost,
               wall, (double)members * (double)steps / wall, sizeof(member));
        printf("host: %d of %d members have the same bits, q differs by %.3g\n", same, n, apart);
        print_statistics(all, members, failed);
    }
    give_back(all), give_back(failed), give_back(table);
    free(host_failed);
    if (trouble[0])
        fprintf(stderr, "MODEL_ensemble: %s\n", trouble);
    return trouble[0] || lost ? 1 : 0;
}

int main(int argc, char **argv)
{
    static settings x;
    long members = argc > 1 ? atol(argv[1]) : 0, steps = argc > 2 ? atol(argv[2]) : 0;
    if (members < 1 || steps < 1)
        return fprintf(stderr, "MODEL_ensemble MEMBERS STEPS [SPREAD] [NAME=LOW:HIGH] [NAME=VALUE] [TABLE.csv]\n"), 2;
    int code = read_settings(argc, argv, &x, members) ? 0 : 2;
    if (!code && !is_there()) {
        fprintf(stderr, "MODEL_ensemble: %s\n", trouble[0] ? trouble : "there is no device");
        code = 1;
    }
    code = code ? code : run(members, steps, &x);
    free((void *)x.table);
    return code;
}

#endif
