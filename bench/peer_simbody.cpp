// How long Simbody takes to an accuracy: what bench/peers.py compares `polhode work` with.
//   peer_simbody MECHANISM REFERENCE SECONDS     for each integrator and accuracy: its name, error, milliseconds, steps
// Times are processor times of the integration alone, the best of the runs that fit into SECONDS. Errors are those of a run that is not
// timed, the largest of all its steps: as `polhode work` has them, the 2-norm of all differences of positions and angles of rotations.
// Mechanisms are trees of joints with as few coordinates as they can have, as Simbody wants them, and loops closed by constraints.
#include <Simbody.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace SimTK;

static const double LEAST = 1e-7; // error
static const double LONG = 5;     // s of a run

// ---- the motion to compare with ----

struct Pose {
    Vec3 x; // centre of mass
    Rotation R;
};

// Doubles: rows and bodies; then rows of t and, for each body, x, quaternion, velocity, angular velocity in the body, at equidistant times.
class Reference {
public:
    explicit Reference(const char *path)
    {
        double head[2] = {0, 0};
        std::unique_ptr<FILE, int (*)(FILE *)> f(std::fopen(path, "rb"), std::fclose);
        if (!f || std::fread(head, sizeof *head, 2, f.get()) != 2 || head[0] < 2)
            throw std::runtime_error("cannot read the reference");
        rows = (size_t)head[0], bodies = (int)head[1], width = 1 + 13 * (size_t)bodies;
        data.resize(rows * width);
        if (std::fread(data.data(), sizeof(double), data.size(), f.get()) != data.size())
            throw std::runtime_error("the reference is too short");
    }
    double end() const { return at(rows - 1)[0]; }
    Pose pose(int body) const { return {x(at(0), body), Rotation(q(at(0), body))}; } // at t = 0, as the next two
    Vec3 velocity(int body) const { return v(at(0), body); }
    Vec3 omega(int body) const { return pose(body).R * w(at(0), body); } // in the world
    int bodies;

    // Between rows cubic polynomials, whose error is below 1e-9 where rows are dense enough.
    double distance(double t, const std::vector<Pose> &p) const
    {
        size_t k = std::min((size_t)(t / at(1)[0]), rows - 2);
        const double *a = at(k), *b = at(k + 1);
        double h = b[0] - a[0], s = (t - a[0]) / h, sum = 0;
        double A = (1 + 2 * s) * (1 - s) * (1 - s), B = s * s * (3 - 2 * s);
        double C = h * s * (1 - s) * (1 - s), D = h * s * s * (s - 1);
        for (int i = 0; i < bodies; i++) {
            Vec3 dx = A * x(a, i) + B * x(b, i) + C * v(a, i) + D * v(b, i) - p[i].x;
            Vec4 qa = q(a, i).asVec4(), qb = q(b, i).asVec4(), ra = rate(qa, w(a, i)), rb = rate(qb, w(b, i));
            double sign = ~qa * qb < 0 ? -1 : 1;
            Rotation R(Quaternion(A * qa + C * ra + sign * (B * qb + D * rb)));
            double angle = (~R * p[i].R).convertRotationToAngleAxis()[0];
            sum += ~dx * dx + angle * angle;
        }
        return std::sqrt(sum);
    }

private:
    const double *at(size_t row) const { return data.data() + row * width; }
    static const double *body(const double *row, int i) { return row + 1 + 13 * i; }
    static Vec3 x(const double *row, int i) { return Vec3(body(row, i)); }
    static Quaternion q(const double *row, int i) { return Quaternion(Vec4(body(row, i) + 3)); }
    static Vec3 v(const double *row, int i) { return Vec3(body(row, i) + 7); }
    static Vec3 w(const double *row, int i) { return Vec3(body(row, i) + 10); }
    static Vec4 rate(const Vec4 &q, const Vec3 &w) // q (0, omega) / 2
    {
        return 0.5 * Vec4(-q[1] * w[0] - q[2] * w[1] - q[3] * w[2], q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
                          q[0] * w[1] + q[3] * w[0] - q[1] * w[2], q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    }
    size_t rows, width;
    std::vector<double> data;
};

// ---- mechanisms ----

enum class Kind { ball, gimbal, pin, universal, slider };

struct Part {
    double mass;
    Vec3 inertia; // about the centre, in its own axes
    Kind kind;    // of the joint that carries it,
    int parent;   // from this part, one before it; -1: ground
    int body;     // of the reference
    Vec3 at;      // where that joint is at t = 0 in the world, and its axes, which are those of the part in Simbody
    Rotation axes;
};

struct Loop {
    int a, b; // parts that share the point
    Vec3 at;
    bool flat; // in the plane z = 0, where they stay anyway
};

struct Mechanism {
    Vec3 gravity;
    std::vector<Part> parts;
    std::vector<Loop> loops;
};

static Part bar(double mass, double length, double width, Kind kind, int parent, int body, Vec3 at, Rotation axes)
{
    double across = mass * (length * length + width * width) / 12;
    return {mass, {mass * width * width / 6, across, across}, kind, parent, body, at, axes};
}

static Rotation columns(Vec3 x, Vec3 y, Vec3 z) { return Rotation(Mat33(x, y, z)); }

static Mechanism chain(const Reference &r, Kind kind)
{
    Mechanism m = {{0, 0, -9.81}, {}, {}};
    Rotation axes = kind == Kind::pin ? columns({0, 0, 1}, {1, 0, 0}, {0, 1, 0}) : Rotation(); // pins turn about z
    for (int i = 0; i < r.bodies; i++)
        m.parts.push_back(bar(4, 0.4, 0.1, kind, i - 1, i, {0.4 * i, 0, 0}, axes));
    return m;
}

// Angles: about the vertical, up or down, and the spin; else a quaternion.
static Mechanism heavy_top(const Reference &, Kind kind)
{
    Rotation axes = kind == Kind::gimbal ? columns({0, 0, 1}, {1, 0, 0}, {0, 1, 0}) : Rotation();
    return {{0, 0, -9.81}, {{15, {0.234375, 0.46875, 0.234375}, kind, -1, 0, Vec3(0), axes}}, {}};
}

static Mechanism slider_crank(const Reference &r)
{
    Vec3 ex(1, 0, 0), y = r.pose(1).R * Vec3(0, 1, 0), C = r.pose(2).x;
    return {{0, 0, -9.81},
            {{0.12, {1e-4, 1e-4, 1e-5}, Kind::pin, -1, 0, {0, 0.1, 0.12}, columns({0, 1, 0}, {0, 0, 1}, ex)},
             {2, {1e-4, 1e-4, 1e-4}, Kind::slider, -1, 2, C, Rotation()},
             {0.5, {4e-4, 4e-3, 4e-3}, Kind::universal, 1, 1, C, columns(ex, y, ex % y)}},
            {{0, 2, {0, 0.1, 0.2}, false}}};
}

static Mechanism four_bar(const Reference &r)
{
    Vec3 C = r.pose(1).x + r.pose(1).R * Vec3(0.25, 0, 0);
    return {{0, -9.81, 0},
            {bar(0.4, 0.2, 0.02, Kind::pin, -1, 0, Vec3(0), Rotation()),
             bar(1.0, 0.5, 0.02, Kind::pin, 0, 1, {0, 0.2, 0}, Rotation()),
             bar(0.8, 0.4, 0.02, Kind::pin, -1, 2, {0.6, 0, 0}, Rotation())},
            {{1, 2, C, true}}};
}

static const std::map<std::string, std::function<Mechanism(const Reference &)>> mechanisms = {
    {"heavy_top", [](auto &r) { return heavy_top(r, Kind::ball); }},
    {"heavy_top_angles", [](auto &r) { return heavy_top(r, Kind::gimbal); }},
    {"slider_crank", slider_crank},
    {"four_bar", four_bar},
    {"chain", [](auto &r) { return chain(r, Kind::ball); }},
    {"chain_revolute", [](auto &r) { return chain(r, Kind::pin); }},
};

// ---- Simbody ----

static double cpu_seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

class Peer {
public:
    Peer(const Mechanism &m, const Reference &r) : mechanism(m), reference(r), frames(m.parts.size())
    {
        Force::UniformGravity(forces, matter, m.gravity);
        for (const Part &p : m.parts)
            add(p);
        for (const Loop &l : m.loops)
            close(l);
        start = system.realizeTopology();
        for (size_t i = 0; i < bodies.size(); i++)
            set_rates(m.parts[i], bodies[i]);
        system.realize(start, Stage::Velocity);
    }
    const System &get_system() const { return system; }

    // Processor time of a run; where its error is asked for, each step is looked at, and long runs are given up.
    double run(Integrator &integrator, double accuracy, double *error, int *steps) const
    {
        double began = cpu_seconds();
        integrator.setAccuracy(accuracy);
        integrator.setFinalTime(reference.end());
        integrator.setReturnEveryInternalStep(error != nullptr);
        integrator.initialize(start);
        while (integrator.getTime() < reference.end()) {
            integrator.stepTo(reference.end());
            if (error && cpu_seconds() - began > LONG)
                throw std::runtime_error("takes too long");
            if (error)
                *error = std::max(*error, reference.distance(integrator.getTime(), poses(integrator.getState())));
        }
        *steps = integrator.getNumStepsTaken();
        return cpu_seconds() - began;
    }

private:
    void add(const Part &p)
    {
        Pose pose = reference.pose(p.body);
        Rotation own = ~p.axes * pose.R;
        Vec3 centre = ~p.axes * (pose.x - p.at);
        frames[bodies.size()] = Transform(own, centre);
        Body::Rigid body(MassProperties(p.mass, centre, Inertia(p.inertia).reexpress(~own).shiftFromMassCenter(centre, p.mass)));
        MobilizedBody parent = matter.Ground();
        Transform from(p.axes, p.at), none;
        if (p.parent >= 0) {
            const Part &q = mechanism.parts[p.parent];
            parent = bodies[p.parent], from = Transform(~q.axes * p.axes, ~q.axes * (p.at - q.at));
        }
        switch (p.kind) {
        case Kind::ball: bodies.push_back(MobilizedBody::Ball(parent, from, body, none)); break;
        case Kind::gimbal: bodies.push_back(MobilizedBody::Gimbal(parent, from, body, none)); break;
        case Kind::pin: bodies.push_back(MobilizedBody::Pin(parent, from, body, none)); break;
        case Kind::universal: bodies.push_back(MobilizedBody::Universal(parent, from, body, none)); break;
        case Kind::slider: bodies.push_back(MobilizedBody::Slider(parent, from, body, none)); break;
        }
    }
    void close(const Loop &l)
    {
        const Part &a = mechanism.parts[l.a], &b = mechanism.parts[l.b];
        Vec3 pa = ~a.axes * (l.at - a.at), pb = ~b.axes * (l.at - b.at);
        if (!l.flat)
            Constraint::Ball(bodies[l.a], pa, bodies[l.b], pb);
        for (int k = 0; k < 2 && l.flat; k++)
            Constraint::PointInPlane(bodies[l.a], UnitVec3(k == 0, k == 1, 0), pa[k], bodies[l.b], pb);
    }
    void set_rates(const Part &p, const MobilizedBody &body) // at t = 0 the joint's axes are those of p, and its angles 0
    {
        Vec3 w = reference.omega(p.body);
        if (p.parent >= 0)
            w -= reference.omega(mechanism.parts[p.parent].body);
        Vec3 rates = ~p.axes * (p.kind == Kind::slider ? reference.velocity(p.body) : w); // sliders stand on the ground
        for (int k = 0; k < body.getNumU(start); k++)
            body.setOneU(start, k, rates[(p.kind == Kind::pin ? 2 : 0) + k]);
    }
    std::vector<Pose> poses(const State &s) const
    {
        std::vector<Pose> p(reference.bodies);
        system.realize(s, Stage::Position);
        for (size_t i = 0; i < bodies.size(); i++) {
            Transform X = bodies[i].getBodyTransform(s) * frames[i];
            p[mechanism.parts[i].body] = {X.p(), X.R()};
        }
        return p;
    }

    const Mechanism &mechanism;
    const Reference &reference;
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> bodies;
    std::vector<Transform> frames; // of the centres, in Simbody's bodies
    State start;
};

template <class T> static std::unique_ptr<Integrator> make(const System &s) { return std::make_unique<T>(s); }

static std::unique_ptr<Integrator> adams(const System &s)
{
    return std::make_unique<CPodesIntegrator>(s, CPodes::Adams, CPodes::Functional);
}

static std::unique_ptr<Integrator> bdf(const System &s) { return std::make_unique<CPodesIntegrator>(s, CPodes::BDF, CPodes::Newton); }

static const std::pair<const char *, std::unique_ptr<Integrator> (*)(const System &)> integrators[] = {
    {"merson", make<RungeKuttaMersonIntegrator>},
    {"fehlberg", make<RungeKuttaFeldbergIntegrator>},
    {"rk3", make<RungeKutta3Integrator>},
    {"rk2", make<RungeKutta2Integrator>},
    {"verlet", make<VerletIntegrator>},
    {"euler2", make<SemiExplicitEuler2Integrator>},
    {"adams", adams},
    {"bdf", bdf},
};

// Accuracies of an integrator, up to errors below all that are asked for, or until it cannot be the fastest any more: `longest` is what
// another one takes for all of them.
static void measure(const Peer &peer, size_t k, double seconds, double &longest)
{
    double error = 1, best = 0;
    for (int digits = 1; digits <= 12 && error > LEAST; digits++) {
        double accuracy = std::pow(10, -digits), spent = 0;
        int steps;
        auto run = [&](double *e) {
            std::unique_ptr<Integrator> integrator = integrators[k].second(peer.get_system());
            return peer.run(*integrator, accuracy, e, &steps);
        };
        error = 0, best = HUGE_VAL;
        run(&error);
        do {
            double took = run(nullptr);
            best = std::min(best, took), spent += took;
        } while (spent < seconds);
        std::printf("%s %.3e %.5g %d\n", integrators[k].first, error, 1e3 * best, steps);
        std::fflush(stdout);
        if (best > longest)
            return;
    }
    if (error <= LEAST)
        longest = best;
}

int main(int argc, char **argv)
{
    if (argc != 4 || !mechanisms.count(argv[1])) {
        std::fprintf(stderr, "peer_simbody MECHANISM REFERENCE SECONDS\n");
        return 2;
    }
    try {
        Reference reference(argv[2]);
        Mechanism mechanism = mechanisms.at(argv[1])(reference);
        Peer peer(mechanism, reference);
        double longest = HUGE_VAL;
        for (size_t k = 0; k < std::size(integrators); k++)
            try {
                measure(peer, k, std::atof(argv[3]), longest);
            } catch (const std::exception &e) { // an integrator that gives up
                std::fprintf(stderr, "peer_simbody: %s: %.200s\n", integrators[k].first, e.what());
            }
    } catch (const std::exception &e) {
        std::fprintf(stderr, "peer_simbody: %s\n", e.what());
        return 1;
    }
    return 0;
}
