/* ---- version 2.0 ------------------------------------------------------------------------------------------- */

typedef void *fmi2Component;
typedef enum fmi2Status { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef void (*fmi2CallbackLogger)(void *, const char *, fmi2Status, const char *, const char *, ...);

typedef struct fmi2CallbackFunctions {
    fmi2CallbackLogger logger;
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(void *, fmi2Status);
    void *componentEnvironment;
} fmi2CallbackFunctions;

typedef struct fmi2_instance {
    fmu_instance f; /* first */
    const fmi2CallbackFunctions *call;
    char *name;
} fmi2_instance;

static fmi2Status fmi2_say(fmi2_instance *c, fmi2Status status)
{
    if (c->call->logger)
        c->call->logger(c->call->componentEnvironment, c->name, status,
                        status == fmi2Discard ? "logStatusDiscard" : "logStatusError", "%s", c->f.message);
    return status;
}

#define FMI2_IN(modes, name)                                                                                 \
    fmi2_instance *c = component;                                                                            \
    if (!c)                                                                                                  \
        return fmi2Error;                                                                                    \
    if (!fmu_is(&c->f, name, modes))                                                                         \
    return fmi2_say(c, fmi2Error)

#define FMI2_DO(call) return (call) ? fmi2OK : fmi2_say(c, fmi2Error)

FMU_EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

FMU_EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

FMU_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component component, int on, size_t n,
                                          const char *const *categories)
{
    FMI2_IN(0x1f, "fmi2SetDebugLogging");
    (void)n, (void)categories;
    c->f.logs = on;
    return fmi2OK;
}

static void fmi2_refuse(const fmi2CallbackFunctions *call, const char *name, const char *why)
{
    if (call && call->logger)
        call->logger(call->componentEnvironment, name ? name : "", fmi2Error, "logStatusError", "%s", why);
}

FMU_EXPORT fmi2Component fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                                         const fmi2CallbackFunctions *call, int visible, int logs)
{
    (void)resources, (void)visible;
    if (!call || !name || !*name) {
        fmi2_refuse(call, name, "an instance needs a name and callbacks");
        return NULL;
    }
    if (type != 1) {
        fmi2_refuse(call, name, "the FMU is for co-simulation");
        return NULL;
    }
    if (!guid || strcmp(guid, FMU_TOKEN) != 0) {
        fmi2_refuse(call, name, "the guid is not that of the binary");
        return NULL;
    }
    size_t length = strlen(name) + 1;
    fmi2_instance *c = calloc(1, sizeof *c);
    char *copy = malloc(length);
    if (!c || !copy) {
        free(c), free(copy);
        fmi2_refuse(call, name, "not enough memory");
        return NULL;
    }
    memcpy(copy, name, length);
    c->call = call, c->name = copy, c->f.logs = logs;
    fmu_begin(&c->f);
    return c;
}

FMU_EXPORT void fmi2FreeInstance(fmi2Component component)
{
    fmi2_instance *c = component;
    if (c)
        free(c->name);
    free(c);
}

FMU_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component component, int has_tolerance, double tolerance,
                                          double start, int has_stop, double stop)
{
    FMI2_IN(1u << FMU_INSTANTIATED, "fmi2SetupExperiment");
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    FMI2_DO(fmu_setup(&c->f, start));
}

FMU_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component component)
{
    FMI2_IN(1u << FMU_INSTANTIATED, "fmi2EnterInitializationMode");
    c->f.now.mode = FMU_INITIALIZATION;
    return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    FMI2_IN(1u << FMU_INITIALIZATION, "fmi2ExitInitializationMode");
    FMI2_DO(fmu_initialize(&c->f));
}

FMU_EXPORT fmi2Status fmi2Terminate(fmi2Component component)
{
    FMI2_IN(1u << FMU_STEP, "fmi2Terminate");
    c->f.now.mode = FMU_TERMINATED;
    return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2Reset(fmi2Component component)
{
    FMI2_IN(0x1f, "fmi2Reset");
    fmu_begin(&c->f);
    return fmi2OK;
}

#define FMI2_VALUES_OF (1u << FMU_INITIALIZATION | 1u << FMU_STEP | 1u << FMU_TERMINATED | 1u << FMU_FAILED)
#define FMI2_INPUTS_IN (1u << FMU_INSTANTIATED | 1u << FMU_INITIALIZATION | 1u << FMU_STEP)

FMU_EXPORT fmi2Status fmi2GetReal(fmi2Component component, const unsigned *vr, size_t n, double *value)
{
    FMI2_IN(FMI2_VALUES_OF, "fmi2GetReal");
    FMI2_DO(fmu_get(&c->f, vr, n, value));
}

FMU_EXPORT fmi2Status fmi2SetReal(fmi2Component component, const unsigned *vr, size_t n, const double *value)
{
    FMI2_IN(FMI2_INPUTS_IN, "fmi2SetReal");
    FMI2_DO(fmu_set(&c->f, vr, n, value));
}

/* There are real variables alone. */
#define FMI2_NONE(name, type)                                                                                \
    FMU_EXPORT fmi2Status name(fmi2Component component, const unsigned *vr, size_t n, type value)            \
    {                                                                                                        \
        FMI2_IN(0x1f, #name);                                                                                \
        (void)vr, (void)value;                                                                               \
        FMI2_DO(n == 0 || fmu_fail(&c->f, "%s: the FMU has real variables alone", #name));                   \
    }

FMI2_NONE(fmi2GetInteger, int *)
FMI2_NONE(fmi2GetBoolean, int *)
FMI2_NONE(fmi2GetString, const char **)
FMI2_NONE(fmi2SetInteger, const int *)
FMI2_NONE(fmi2SetBoolean, const int *)
FMI2_NONE(fmi2SetString, const char *const *)

FMU_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component component, void **state)
{
    FMI2_IN(0x1f, "fmi2GetFMUstate");
    fmu_state *copy = *state ? *state : malloc(sizeof *copy);
    if (!copy) {
        fmu_fail(&c->f, "not enough memory for a state");
        return fmi2_say(c, fmi2Error);
    }
    *copy = c->f.now;
    *state = copy;
    return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component component, void *state)
{
    FMI2_IN(0x1f, "fmi2SetFMUstate");
    FMI2_DO(fmu_restore(&c->f, state));
}

FMU_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component component, void **state)
{
    FMI2_IN(0x1f, "fmi2FreeFMUstate");
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, void *state, size_t *size)
{
    FMI2_IN(0x1f, "fmi2SerializedFMUstateSize");
    (void)state;
    *size = FMU_PACKED;
    return fmi2OK;
}

FMU_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component component, void *state, char *bytes, size_t size)
{
    FMI2_IN(0x1f, "fmi2SerializeFMUstate");
    FMI2_DO(fmu_pack(&c->f, state, bytes, size));
}

FMU_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const char *bytes, size_t size,
                                              void **state)
{
    FMI2_IN(0x1f, "fmi2DeSerializeFMUstate");
    FMI2_DO(fmu_unpack(&c->f, bytes, size, state));
}

FMU_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const unsigned *unknown,
                                                   size_t n_unknown, const unsigned *known, size_t n_known,
                                                   const double *seed, double *out)
{
    FMI2_IN(1u << FMU_INITIALIZATION | 1u << FMU_STEP | 1u << FMU_TERMINATED, "fmi2GetDirectionalDerivative");
    FMI2_DO(fmu_derivative(&c->f, unknown, n_unknown, known, n_known, seed, out));
}

FMU_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const unsigned *vr, size_t n,
                                                  const int *order, const double *value)
{
    FMI2_IN(0x1f, "fmi2SetRealInputDerivatives");
    (void)vr, (void)order, (void)value;
    FMI2_DO(n == 0 || fmu_fail(&c->f, "the FMU does not interpolate inputs"));
}

FMU_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const unsigned *vr, size_t n,
                                                   const int *order, double *value)
{
    FMI2_IN(0x1f, "fmi2GetRealOutputDerivatives");
    (void)vr, (void)order, (void)value;
    FMI2_DO(n == 0 || fmu_fail(&c->f, "the FMU has no derivatives of outputs by time"));
}

FMU_EXPORT fmi2Status fmi2DoStep(fmi2Component component, double t, double size, int no_rollback)
{
    FMI2_IN(1u << FMU_STEP, "fmi2DoStep");
    (void)no_rollback;
    int done = fmu_do_step(&c->f, t, size);
    return done > 0 ? fmi2OK : fmi2_say(c, done < 0 ? fmi2Discard : fmi2Error);
}

FMU_EXPORT fmi2Status fmi2CancelStep(fmi2Component component)
{
    FMI2_IN(0, "fmi2CancelStep");
    return fmi2OK;
}

/* Steps end before the call returns: nothing is pending. */
#define FMI2_STATUS(name, type)                                                                              \
    FMU_EXPORT fmi2Status name(fmi2Component component, int kind, type value)                                \
    {                                                                                                        \
        FMI2_IN(0x1f, #name);                                                                                \
        (void)kind, (void)value;                                                                             \
        return fmi2Discard;                                                                                  \
    }

FMI2_STATUS(fmi2GetStatus, fmi2Status *)
FMI2_STATUS(fmi2GetIntegerStatus, int *)
FMI2_STATUS(fmi2GetBooleanStatus, int *)
FMI2_STATUS(fmi2GetStringStatus, const char **)

/* The last time that was reached. */
FMU_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component component, int kind, double *value)
{
    FMI2_IN(0x1f, "fmi2GetRealStatus");
    (void)kind;
    *value = fmu_time(&c->f);
    return fmi2OK;
}
