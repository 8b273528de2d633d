/* A compiled model as an FMU for co-simulation: what both versions of the interface share.
 *
 * The part before this one has the model's variables:
 *   FMU_MODEL, FMU_TOKEN, FMU_H, FMU_T0, FMU_VARIABLES, fmu_variable, fmu_constant,
 *   fmu_init, fmu_restart, fmu_step, fmu_sensor (all numbers of a sensor), fmu_input (where an input stands), fmu_parameter (likewise),
 *   fmu_begin_with (initial values of the present parameters), fmu_change (parameters have changed on the way),
 *   fmu_slope (of a number of a sensor, by an input). */

typedef enum fmu_mode { FMU_INSTANTIATED, FMU_INITIALIZATION, FMU_STEP, FMU_TERMINATED, FMU_FAILED } fmu_mode;

/* All that changes; a copy of it is a state of the FMU. */
typedef struct fmu_state {
    FMU_MODEL model;
    fmu_mode mode;
    double start; /* the time that the importer gives to the begin of the model */
    int told;     /* an input was set before the first step, */
    int begins;   /* or a parameter */
} fmu_state;

#define FMU_MESSAGE 256

typedef struct fmu_instance {
    fmu_state now;
    int logs;
    char message[FMU_MESSAGE];
} fmu_instance;

/* A sentence for the importer's log; returns 0. */
static int fmu_fail(fmu_instance *f, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(f->message, sizeof f->message, format, ap);
    va_end(ap);
    return 0;
}

static int fmu_is(fmu_instance *f, const char *call, unsigned modes)
{
    static const char *const name[] = {"instantiated", "initialization", "step", "terminated", "failed"};
    if (modes >> f->now.mode & 1)
        return 1;
    return fmu_fail(f, "%s is not allowed in the %s mode", call, name[f->now.mode]);
}

static void fmu_begin(fmu_instance *f)
{
    fmu_state fresh = {.mode = FMU_INSTANTIATED};
    f->now = fresh;
    fmu_init(&f->now.model);
}

/* ---- variables ------------------------------------------------------------------------------------------- */

static double fmu_time(const fmu_instance *f)
{
    return f->now.model.t - FMU_T0 + f->now.start;
}

static int fmu_get(fmu_instance *f, const unsigned *vr, size_t n, double *value)
{
    double numbers[FMU_NUMBERS];
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= FMU_VARIABLES)
            return fmu_fail(f, "there is no variable with the value reference %u", vr[i]);
        const fmu_place *v = &fmu_variable[vr[i]];
        switch (v->kind) {
        case FMU_TIME:
            value[i] = fmu_time(f);
            break;
        case FMU_INPUT:
            value[i] = *fmu_input(&f->now.model, v->index);
            break;
        case FMU_SENSOR:
            fmu_sensor(&f->now.model, v->index, numbers);
            value[i] = numbers[v->component];
            break;
        case FMU_Q:
            value[i] = f->now.model.q[v->index];
            break;
        case FMU_V:
            value[i] = f->now.model.v[v->index];
            break;
        case FMU_FIXED:
        case FMU_TUNABLE:
            value[i] = *fmu_parameter(&f->now.model, v->index);
            break;
        default:
            value[i] = fmu_constant[v->index];
        }
    }
    return 1;
}

/* Whether a variable may be set to a number now. */
static int fmu_may_set(fmu_instance *f, unsigned vr, double value)
{
    fmu_kind kind = vr < FMU_VARIABLES ? fmu_variable[vr].kind : FMU_CONSTANT;
    if (kind != FMU_INPUT && kind != FMU_FIXED && kind != FMU_TUNABLE)
        return fmu_fail(
            f, "the variable with the value reference %u is no input and no parameter that is open", vr);
    if (kind == FMU_FIXED && f->now.mode == FMU_STEP)
        return fmu_fail(f, "the parameter with the value reference %u is fixed after the initialization", vr);
    if (!(value - value == 0))
        return fmu_fail(f, "the variable with the value reference %u is set to a number that is not finite",
                        vr);
    return 1;
}

/* Parameters that change on the way: values are made consistent, and the method starts anew. */
static int fmu_change_parameters(fmu_instance *f, const FMU_MODEL *before)
{
    if (f->now.mode != FMU_STEP) {
        f->now.begins = 1;
        return 1;
    }
    if (!fmu_change(&f->now.model))
        return 1;
    f->now.model = *before;
    return fmu_fail(f, "there are no consistent values with these parameters");
}

static int fmu_set(fmu_instance *f, const unsigned *vr, size_t n, const double *value)
{
    FMU_MODEL before = f->now.model;
    int parameters = 0;
    for (size_t i = 0; i < n; i++)
        if (!fmu_may_set(f, vr[i], value[i]))
            return 0;
    for (size_t i = 0; i < n; i++) {
        const fmu_place *v = &fmu_variable[vr[i]];
        if (v->kind == FMU_INPUT)
            *fmu_input(&f->now.model, v->index) = value[i], f->now.told = 1;
        else
            *fmu_parameter(&f->now.model, v->index) = value[i], parameters = 1;
    }
    return parameters ? fmu_change_parameters(f, &before) : 1;
}

/* Exact derivatives of outputs by inputs, at the present time. */
static int fmu_derivative(fmu_instance *f, const unsigned *unknown, size_t n_unknown, const unsigned *known,
                          size_t n_known, const double *seed, double *out)
{
    for (size_t i = 0; i < n_unknown; i++) {
        out[i] = 0;
        if (unknown[i] >= FMU_VARIABLES || fmu_variable[unknown[i]].kind != FMU_SENSOR)
            return fmu_fail(f, "the variable with the value reference %u is no output", unknown[i]);
        for (size_t k = 0; k < n_known; k++) {
            if (known[k] >= FMU_VARIABLES || fmu_variable[known[k]].kind != FMU_INPUT)
                return fmu_fail(f, "the variable with the value reference %u is no input", known[k]);
            const fmu_place *y = &fmu_variable[unknown[i]];
            out[i] +=
                seed[k] * fmu_slope(&f->now.model, y->index, y->component, fmu_variable[known[k]].index);
        }
    }
    return 1;
}

/* ---- modes and steps ------------------------------------------------------------------------------------- */

static int fmu_setup(fmu_instance *f, double start)
{
    if (!(start - start == 0))
        return fmu_fail(f, "the start time is not finite");
    f->now.start = start;
    return 1;
}

/* Inputs that were set change accelerations at the start, parameters initial values. */
static int fmu_initialize(fmu_instance *f)
{
    unsigned failed = f->now.begins ? fmu_begin_with(&f->now.model)
                      : f->now.told ? fmu_restart(&f->now.model)
                                    : 0;
    if (failed) {
        f->now.mode = FMU_FAILED;
        return fmu_fail(f, "there are no consistent initial values with these inputs and parameters");
    }
    f->now.mode = FMU_STEP;
    return 1;
}

/* Largest error of a time near t, in steps, after n roundings. Below half a step it is still clear which step is meant. */
static double fmu_clock_error(const fmu_instance *f, double t, double n)
{
    return fmin(0.49, 1e-6 + n * DBL_EPSILON * fmax(fabs(t), fabs(f->now.start)) / FMU_H);
}

/* Take whole steps of the model. Importers may add up their time step by step, which rounds it once per step, and compute
 * the size as a difference of two times. Returns -1 if a step fails; the FMU is then as before. */
static int fmu_do_step(fmu_instance *f, double t, double size)
{
    double now = fmu_time(f), done = fabs(now - f->now.start) / FMU_H, steps = size / FMU_H;
    double whole = floor(steps + 0.5);
    fmu_state before = f->now;
    if (!(fabs(t - now) <= fmu_clock_error(f, t, done) * FMU_H))
        return fmu_fail(f, "the FMU is at t = %.17g, not at %.17g", now, t);
    if (!(whole >= 1 && whole <= 1e9 && fabs(steps - whole) <= fmu_clock_error(f, t + size, whole + 2)))
        return fmu_fail(f, "a communication step must be a whole number of steps of %.17g s", FMU_H);
    for (long k = 0; k < (long)whole; k++)
        if (fmu_step(&f->now.model)) {
            double at = fmu_time(f);
            f->now = before;
            fmu_fail(f, "the step at t = %.9g does not converge", at);
            return -1;
        }
    return 1;
}

/* ---- states as bytes ---------------------------------------------------------------------------------------- */

static int fmu_restore(fmu_instance *f, const fmu_state *from)
{
    if (!from)
        return fmu_fail(f, "there is no state");
    f->now = *from;
    return 1;
}

/* Comes before the state: a hash of this FMU and of the format of its states, and a hash of the bytes of the state. */
typedef struct fmu_head {
    uint64_t key, sum;
} fmu_head;

#define FMU_FORMAT 1 /* raise it if the meaning of fmu_state changes */
#define FMU_PACKED (sizeof(fmu_head) + sizeof(fmu_state))

/* FNV-1a with 64 bits: any change of one byte changes the hash. */
static uint64_t fmu_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *b = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

static fmu_head fmu_head_of(const void *state)
{
    const uint64_t start = 14695981039346656037u, about[2] = {FMU_FORMAT, sizeof(fmu_state)};
    fmu_head h = {fmu_hash(fmu_hash(start, about, sizeof about), FMU_TOKEN, sizeof FMU_TOKEN),
                  fmu_hash(start, state, sizeof(fmu_state))};
    return h;
}

static int fmu_pack(fmu_instance *f, const void *state, void *bytes, size_t size)
{
    if (!state || size < FMU_PACKED)
        return fmu_fail(f, "the state needs %lu bytes", (unsigned long)FMU_PACKED);
    fmu_head h = fmu_head_of(state);
    memcpy(bytes, &h, sizeof h);
    memcpy((char *)bytes + sizeof h, state, sizeof(fmu_state));
    return 1;
}

/* Set *state to a new state, which the caller frees. */
static int fmu_unpack(fmu_instance *f, const void *bytes, size_t size, void **state)
{
    fmu_head h, own;
    fmu_state *copy;
    if (size != FMU_PACKED)
        return fmu_fail(f, "the bytes are not a state of this FMU");
    copy = malloc(sizeof *copy);
    if (!copy)
        return fmu_fail(f, "not enough memory for a state");
    memcpy(&h, bytes, sizeof h);
    memcpy(copy, (const char *)bytes + sizeof h, sizeof *copy);
    own = fmu_head_of(copy);
    if (h.key == own.key && h.sum == own.sum && (unsigned)copy->mode <= FMU_FAILED) {
        *state = copy;
        return 1;
    }
    free(copy);
    return fmu_fail(f, h.key == own.key ? "the bytes of the state are damaged"
                                        : "the bytes are not a state of this FMU");
}
