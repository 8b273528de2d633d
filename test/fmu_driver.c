/* Uses an FMU as an importer would: fmu_driver VERSION FOLDER, where the archive was unpacked. test_cmd_fmu.sh builds and runs it.
 *
 * The description is read by rules of the standard: order of elements, attributes, which causality goes with which variability and
 * initial value, value references, the structure of the model. Then two instances step, go back, travel as bytes, and are
 * called in modes that do not allow it. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(what)                                                                                          \
    do {                                                                                                     \
        if (!(what))                                                                                         \
            failures++, fprintf(stderr, "%d: %s\n", __LINE__, #what);                                        \
    } while (0)

/* ---- the description --------------------------------------------------------------------------------------- */

#define MOST 200

typedef struct tag {
    char name[64], text[1000];
    int closes, empty;
} tag;

static char *xml;

/* The next tag from p on; NULL: there is none. */
static const char *next_tag(const char *p, tag *t)
{
    p = strchr(p, '<');
    while (p && (p[1] == '?' || p[1] == '!'))
        p = strchr(p + 1, '<');
    if (!p)
        return NULL;
    const char *end = strchr(p, '>');
    t->closes = p[1] == '/', t->empty = end[-1] == '/';
    snprintf(t->text, sizeof t->text, "%.*s", (int)(end - p), p);
    size_t n = strcspn(p + 1 + t->closes, " \n/>");
    snprintf(t->name, sizeof t->name, "%.*s", (int)n, p + 1 + t->closes);
    return end + 1;
}

static const char *attribute(const tag *t, const char *name)
{
    static char value[4][300];
    static int turn;
    char key[80];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *p = strstr(t->text, key);
    if (!p)
        return NULL;
    p += strlen(key);
    turn = (turn + 1) % 4;
    snprintf(value[turn], sizeof value[turn], "%.*s", (int)strcspn(p, "\""), p);
    return value[turn];
}

static int is(const tag *t, const char *name, const char *value)
{
    const char *a = attribute(t, name);
    return value ? a && !strcmp(a, value) : !a;
}

typedef struct variable {
    char name[200], causality[20];
    unsigned reference;
} variable;

static variable variables[MOST];
static int n_variables, version;
static char token[100], identifier[100];

/* Which initial value goes with causality and variability (tables of the standard), and who has a start value. */
static void check_variable(const tag *t, const tag *real)
{
    CHECK(attribute(t, "name") && attribute(t, "valueReference"));
    int has_start = attribute(real, "start") != NULL;
    if (is(t, "causality", "independent"))
        CHECK(is(t, "variability", "continuous") && is(t, "initial", NULL) && !has_start);
    else if (is(t, "causality", "input"))
        CHECK(is(t, "variability", "continuous") && is(t, "initial", NULL) && has_start);
    else if (is(t, "causality", "output"))
        CHECK(is(t, "variability", "continuous") && is(t, "initial", "calculated") && !has_start);
    else if (is(t, "causality", "parameter"))
        CHECK((is(t, "variability", "fixed") || is(t, "variability", "tunable")) &&
              is(t, "initial", "exact") && has_start);
    else if (is(t, "variability", "constant"))
        CHECK(is(t, "causality", "local") && is(t, "initial", "exact") && has_start);
    else
        CHECK(is(t, "causality", "local") && is(t, "initial", "calculated") && !has_start);
    variable *v = &variables[n_variables++];
    snprintf(v->name, sizeof v->name, "%s", attribute(t, "name"));
    snprintf(v->causality, sizeof v->causality, "%s", attribute(t, "causality"));
    v->reference = (unsigned)atoi(attribute(t, "valueReference"));
    for (variable *o = variables; o < v; o++)
        CHECK(strcmp(o->name, v->name) != 0 && o->reference != v->reference);
}

static void check_unit(const char *unit)
{
    char text[200];
    snprintf(text, sizeof text, "<Unit name=\"%s\"", unit);
    CHECK(strstr(xml, text) != NULL);
}

static void check_structure(const char *p)
{
    tag t;
    int outputs[2] = {0}, group = 0;
    while ((p = next_tag(p, &t)) && strcmp(t.name, "ModelStructure")) {
        if (!strcmp(t.name, "Outputs") || !strcmp(t.name, "Output"))
            group = 0;
        else if (!strcmp(t.name, "InitialUnknowns") || !strcmp(t.name, "InitialUnknown"))
            group = 1;
        if (version == 2 && !strcmp(t.name, "Unknown")) {
            int index = atoi(attribute(&t, "index"));
            CHECK(index >= 1 && index <= n_variables && !strcmp(variables[index - 1].causality, "output"));
            outputs[group]++;
        } else if (version == 3 && attribute(&t, "valueReference")) {
            unsigned vr = (unsigned)atoi(attribute(&t, "valueReference"));
            for (int k = 0; k < n_variables; k++)
                outputs[group] += variables[k].reference == vr && !strcmp(variables[k].causality, "output");
        }
    }
    int all = 0;
    for (int k = 0; k < n_variables; k++)
        all += !strcmp(variables[k].causality, "output");
    CHECK(outputs[0] == all && outputs[1] == all);
}

static void check_description(const char *folder)
{
    static const char *const order[] = {"CoSimulation",      "UnitDefinitions", "LogCategories",
                                        "DefaultExperiment", "ModelVariables",  "ModelStructure"};
    char path[500];
    size_t size;
    tag t, real;
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    FILE *f = fopen(path, "r");
    if (!f)
        exit(2);
    xml = calloc(1, 1 << 20);
    size = fread(xml, 1, (1 << 20) - 1, f);
    fclose(f);
    CHECK(size > 0);
    const char *p = next_tag(xml, &t);
    CHECK(!strcmp(t.name, "fmiModelDescription") && attribute(&t, "modelName"));
    CHECK(is(&t, "fmiVersion", version == 2 ? "2.0" : "3.0"));
    snprintf(token, sizeof token, "%s", attribute(&t, version == 2 ? "guid" : "instantiationToken"));
    for (int depth = 1, at = 0; depth > 0 && (p = next_tag(p, &t));) {
        if (t.closes) {
            depth--;
            continue;
        }
        if (depth == 1) {
            while (at < 6 && strcmp(order[at], t.name))
                at++;
            CHECK(at < 6);
        }
        if (!strcmp(t.name, "CoSimulation"))
            snprintf(identifier, sizeof identifier, "%s", attribute(&t, "modelIdentifier"));
        if (version == 2 && !strcmp(t.name, "ScalarVariable")) {
            next_tag(p, &real);
            CHECK(!strcmp(real.name, "Real"));
            check_variable(&t, &real);
            if (attribute(&real, "unit"))
                check_unit(attribute(&real, "unit"));
        } else if (version == 3 && !strcmp(t.name, "Float64")) {
            check_variable(&t, &t);
            if (attribute(&t, "unit"))
                check_unit(attribute(&t, "unit"));
        }
        if (!strcmp(t.name, "ModelStructure"))
            check_structure(p);
        depth += !t.empty;
    }
}

static unsigned reference(const char *name)
{
    for (int k = 0; k < n_variables; k++)
        if (!strcmp(variables[k].name, name))
            return variables[k].reference;
    fprintf(stderr, "there is no variable '%s'\n", name);
    failures++;
    return 0;
}

/* ---- both versions behind one face ------------------------------------------------------------------------- */

static void *library;
static int logged;

static void *find(const char *name)
{
    char full[100];
    snprintf(full, sizeof full, "fmi%d%s", version, name);
    void *f = dlsym(library, full);
    if (!f)
        fprintf(stderr, "the library has no %s\n", full), failures++;
    return f;
}

static void log2_(void *e, const char *instance, int status, const char *category, const char *message, ...)
{
    (void)e, (void)instance, (void)status, (void)category, (void)message;
    logged++;
}

static void log3_(void *e, int status, const char *category, const char *message)
{
    (void)e, (void)status, (void)category, (void)message;
    logged++;
}

typedef struct callbacks {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*free)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks;

static const callbacks calls = {log2_, calloc, free, NULL, NULL};

static void *instantiate(const char *name, const char *with, int type)
{
    if (version == 2) {
        void *(*f)(const char *, int, const char *, const char *, const callbacks *, int, int) =
            find("Instantiate");
        return f(name, type, with, "", &calls, 0, 0);
    }
    void *(*f)(const char *, const char *, const char *, _Bool, _Bool, _Bool, _Bool, const unsigned *, size_t,
               void *, void (*)(void *, int, const char *, const char *), void (*)(void)) =
        find("InstantiateCoSimulation");
    return type == 1 ? f(name, with, "", 0, 0, 0, 0, NULL, 0, NULL, log3_, NULL) : NULL;
}

static int plain(const char *name, void *c)
{
    int (*f)(void *) = find(name);
    return f(c);
}

static int enter(void *c, double start)
{
    if (version == 2) {
        int (*setup)(void *, int, double, double, int, double) = find("SetupExperiment");
        int s = setup(c, 0, 0, start, 0, 0);
        return s ? s : plain("EnterInitializationMode", c);
    }
    int (*f)(void *, _Bool, double, double, _Bool, double) = find("EnterInitializationMode");
    return f(c, 0, 0, start, 0, 0);
}

static int get(void *c, unsigned vr, double *x)
{
    if (version == 2) {
        int (*f)(void *, const unsigned *, size_t, double *) = find("GetReal");
        return f(c, &vr, 1, x);
    }
    int (*f)(void *, const unsigned *, size_t, double *, size_t) = find("GetFloat64");
    return f(c, &vr, 1, x, 1);
}

static int set(void *c, unsigned vr, double x)
{
    if (version == 2) {
        int (*f)(void *, const unsigned *, size_t, const double *) = find("SetReal");
        return f(c, &vr, 1, &x);
    }
    int (*f)(void *, const unsigned *, size_t, const double *, size_t) = find("SetFloat64");
    return f(c, &vr, 1, &x, 1);
}

static int step(void *c, double t, double h)
{
    if (version == 2) {
        int (*f)(void *, double, double, int) = find("DoStep");
        return f(c, t, h, 1);
    }
    _Bool event, end, early;
    double reached;
    int (*f)(void *, double, double, _Bool, _Bool *, _Bool *, _Bool *, double *) = find("DoStep");
    return f(c, t, h, 1, &event, &end, &early, &reached);
}

static int derivative(void *c, unsigned y, unsigned u, double seed, double *out)
{
    if (version == 2) {
        int (*f)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *, double *) =
            find("GetDirectionalDerivative");
        return f(c, &y, 1, &u, 1, &seed, out);
    }
    int (*f)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *, size_t, double *,
             size_t) = find("GetDirectionalDerivative");
    return f(c, &y, 1, &u, 1, &seed, 1, out, 1);
}

static const char *state_name(const char *two, const char *three)
{
    return version == 2 ? two : three;
}

/* ---- an importer ------------------------------------------------------------------------------------------- */

static double value(void *c, const char *name)
{
    double x = NAN;
    CHECK(get(c, reference(name), &x) == 0);
    return x;
}

static void start(void *c, double t)
{
    CHECK(enter(c, t) == 0);
    CHECK(plain("ExitInitializationMode", c) == 0);
}

#define H 0.001

static void steps(void *c, int from, int n)
{
    for (int k = from; k < from + n; k++)
        CHECK(step(c, k * H, H) == 0);
}

static void check_wrong_calls(void)
{
    double x;
    CHECK(!instantiate("a", "{0}", 1) && !instantiate("", token, 1) && !instantiate("a", token, 0));
    void *c = instantiate("a", token, 1);
    if (!c)
        exit(2);
    CHECK(get(c, reference("angle"), &x) == 3 && step(c, 0, H) == 3 && logged > 0);
    CHECK(plain("ExitInitializationMode", c) == 3 && plain("Terminate", c) == 3);
    start(c, 0);
    CHECK(enter(c, 0) == 3 && set(c, reference("angle"), 1) == 3 && set(c, reference("push"), NAN) == 3);
    CHECK(get(c, 9999, &x) == 3 && step(c, 0.5, H) == 3 && step(c, 0, 1.5 * H) == 3 && step(c, 0, -H) == 3);
    CHECK(step(c, 0, H) == 0 && fabs(value(c, "time") - H) < 1e-15);
    CHECK(derivative(c, reference("push"), reference("push"), 1, &x) == 3);
    CHECK(plain("Terminate", c) == 0 && step(c, H, H) == 3 && get(c, reference("angle"), &x) == 0);
    CHECK(plain("Reset", c) == 0);
    start(c, 2); /* time may start elsewhere */
    CHECK(step(c, 2, H) == 0 && fabs(value(c, "time") - 2 - H) < 1e-12);
    void (*release)(void *) = find("FreeInstance");
    release(c), release(NULL);
}

/* Two instances know nothing of each other; a state that is kept brings all of it back, as bytes too. */
static void check_states(void)
{
    int (*keep)(void *, void **) = find(state_name("GetFMUstate", "GetFMUState"));
    int (*back)(void *, void *) = find(state_name("SetFMUstate", "SetFMUState"));
    int (*drop)(void *, void **) = find(state_name("FreeFMUstate", "FreeFMUState"));
    int (*size_of)(void *, void *, size_t *) =
        find(state_name("SerializedFMUstateSize", "SerializedFMUStateSize"));
    int (*pack)(void *, void *, char *, size_t) = find(state_name("SerializeFMUstate", "SerializeFMUState"));
    int (*unpack)(void *, const char *, size_t, void **) =
        find(state_name("DeSerializeFMUstate", "DeserializeFMUState"));
    void (*release)(void *) = find("FreeInstance");
    void *a = instantiate("a", token, 1), *b = instantiate("b", token, 1), *state = NULL, *again = NULL,
         *none = NULL;
    size_t size = 0;
    CHECK(set(b, reference("push"), 3) == 0);
    start(a, 0), start(b, 0);
    steps(a, 0, 50), steps(b, 0, 50);
    CHECK(value(a, "angle") != value(b, "angle") && value(b, "push") == 3);
    CHECK(keep(a, &state) == 0);
    steps(a, 50, 20);
    double there = value(a, "angle"), speed = value(a, "bodies.arm.omega[3]");
    CHECK(back(a, state) == 0 && fabs(value(a, "time") - 50 * H) < 1e-12);
    steps(a, 50, 20);
    CHECK(value(a, "angle") == there && value(a, "bodies.arm.omega[3]") == speed); /* exact */
    CHECK(size_of(a, state, &size) == 0 && size > 0);
    char *bytes = malloc(size);
    CHECK(pack(a, state, bytes, size) == 0 && pack(a, state, bytes, size - 1) == 3);
    CHECK(unpack(b, bytes, size, &again) == 0 && unpack(b, bytes, size - 1, &again) == 3);
    for (size_t k = 0; k < size; k++) { /* a state with any byte changed is rejected */
        bytes[k] ^= (char)(1 << k % 8);
        CHECK(unpack(b, bytes, size, &none) == 3 && !none);
        bytes[k] ^= (char)(1 << k % 8);
        bytes[k] = (char)~bytes[k];
        CHECK(unpack(b, bytes, size, &none) == 3 && !none);
        bytes[k] = (char)~bytes[k];
    }
    CHECK(back(b, again) == 0 && back(b, NULL) == 3);
    steps(b, 50, 20);
    CHECK(value(b, "angle") == there); /* exact */
    CHECK(drop(a, &state) == 0 && !state && drop(b, &again) == 0 && drop(a, &state) == 0);
    free(bytes);
    release(a), release(b);
}

/* d(output)/d(input): exact, beside differences of what the FMU itself gives. */
static void check_derivatives(void)
{
    static const char *const outputs[] = {"angle", "effort", "power", "mixed[1]", "mixed[2]"};
    void (*release)(void *) = find("FreeInstance");
    void *c = instantiate("a", token, 1);
    start(c, 0);
    steps(c, 0, 30);
    for (int k = 0; k < 5; k++) {
        double exact, plus, minus, u = value(c, "push"), d = 1e-4;
        CHECK(derivative(c, reference(outputs[k]), reference("push"), 2, &exact) == 0);
        CHECK(set(c, reference("push"), u + d) == 0);
        plus = value(c, outputs[k]);
        CHECK(set(c, reference("push"), u - d) == 0);
        minus = value(c, outputs[k]);
        CHECK(set(c, reference("push"), u) == 0);
        CHECK(fabs(exact - (plus - minus) / d) <=
              1e-7 * fmax(1, fabs(exact))); /* derivative; the seed is 2 */
        CHECK(k == 0 ? exact == 0 : exact != 0);
    }
    release(c);
}

/* An open parameter that was tuned at the start is one that was set before: m changes no initial value. w, which does and nothing
 * else, is fixed after it. */
static void check_parameters(void)
{
    unsigned m = reference("parameters.m"), w = reference("parameters.w");
    void (*release)(void *) = find("FreeInstance");
    void *a = instantiate("a", token, 1), *b = instantiate("b", token, 1);
    CHECK(set(a, m, 2) == 0 && set(a, w, 1.5) == 0 && set(b, w, 1.5) == 0);
    start(a, 0), start(b, 0);
    /* starting values of the method have velocities that are off by some h^2 */
    CHECK(fabs(value(a, "bodies.arm.omega[3]") - 1.5) < 100 * H * H && value(a, "parameters.m") == 2);
    CHECK(set(b, m, NAN) == 3 && set(b, w, 1) == 3 && value(b, "parameters.w") == 1.5);
    CHECK(set(b, m, 2) == 0);
    steps(a, 0, 50), steps(b, 0, 50);
    CHECK(fabs(value(a, "angle") - value(b, "angle")) < 1e-9); /* Newton's tolerance */
    CHECK(set(b, m, 4) == 0);                                  /* and on the way it matters */
    steps(a, 50, 50), steps(b, 50, 50);
    CHECK(fabs(value(a, "angle") - value(b, "angle")) > 1e-6);
    CHECK(plain("Reset", b) == 0);
    start(b, 0);
    CHECK(value(b, "parameters.m") == 1.2 && fabs(value(b, "bodies.arm.omega[3]")) < 100 * H * H);
    release(a), release(b);
}

/* An importer that adds up its time, from 0 and from a late start. Wrong times and sizes are still rejected. */
static void check_clock(long n)
{
    static const double begins[] = {0, 1e5};
    int (*do_step2)(void *, double, double, int) = version == 2 ? find("DoStep") : NULL;
    void (*release)(void *) = find("FreeInstance");
    for (int k = 0; k < 2; k++) {
        void *c = instantiate("clock", token, 1);
        double t = begins[k];
        long taken = 0;
        start(c, t);
        for (; taken < n >> 3 * k; taken++, t += H)
            if (do_step2 ? do_step2(c, t, H, 1) : step(c, t, H))
                break;
        CHECK(taken == n >> 3 * k);
        CHECK(step(c, t + H, H) == 3 && step(c, t, 0.5 * H) == 3 && step(c, t, 1.5 * H) == 3);
        CHECK(step(c, t, (t + 3 * H) - t) == 0); /* the size as a difference of times */
        release(c);
    }
}

/* VERSION FOLDER clock STEPS: add up so many steps. VERSION FOLDER [NAME=VALUE] ...: the open parameters of the last run. */
int main(int argc, char **argv)
{
    char path[600];
    if (argc < 3)
        return 2;
    version = atoi(argv[1]);
    check_description(argv[2]);
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", argv[2], version == 2 ? "linux64" : "x86_64-linux",
             identifier);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const char *(*get_version)(void) = find("GetVersion");
    CHECK(!strcmp(get_version(), version == 2 ? "2.0" : "3.0"));
    if (argc > 4 && !strcmp(argv[3], "clock")) {
        check_clock(atol(argv[4]));
        return failures ? 1 : 0;
    }
    check_wrong_calls();
    check_states();
    check_derivatives();
    if (argc > 3)
        check_parameters();
    /* the angle after 0.05 s, for comparison with a run */
    void *c = instantiate("a", token, 1);
    for (int k = 3; k < argc; k++) {
        char name[100] = "parameters.";
        const char *equal = strchr(argv[k], '=');
        strncat(name, argv[k], (size_t)(equal - argv[k]));
        CHECK(set(c, reference(name), atof(equal + 1)) == 0);
    }
    start(c, 0);
    CHECK(step(c, 0, 50 * H) == 0); /* a communication step of several steps */
    printf("%.12e\n", value(c, "angle"));
    void (*release)(void *) = find("FreeInstance");
    release(c);
    dlclose(library);
    free(xml);
    return failures ? 1 : 0;
}
