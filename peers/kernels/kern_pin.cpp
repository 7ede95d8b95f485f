// Pinocchio's kernels behind a line protocol: kern_pin MODEL.txt. See ../README.md, "Kernels".

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/multibody.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using pinocchio::Convention;
using pinocchio::Data;
using pinocchio::Model;
using Vector = Eigen::VectorXd;

// The library holds the algorithms for this type of argument only; with plain vectors the compiler would make its own.
using Ref = Eigen::Ref<const Vector>;
using Base = Eigen::MatrixBase<Ref>;

// Called through pointers the compiler cannot see through: nothing is inlined from the headers, so the build against
// the library measures the library's code. An indirect call is about 1 ns.
const Vector & (*volatile call_aba)(const Model &, Data &, const Base &, const Base &, const Base &, Convention) =
  &pinocchio::aba<double, 0, pinocchio::JointCollectionDefaultTpl, Ref, Ref, Ref>;
const Vector & (*volatile call_rnea)(const Model &, Data &, const Base &, const Base &, const Base &) =
  &pinocchio::impl::rnea<double, 0, pinocchio::JointCollectionDefaultTpl, Ref, Ref, Ref>;
const Eigen::MatrixXd & (*volatile call_crba)(const Model &, Data &, const Base &, Convention) =
  &pinocchio::crba<double, 0, pinocchio::JointCollectionDefaultTpl, Ref>;

constexpr int STATES = 16;
// Data grows with the cube of the length of a chain: 100 bodies are fine, 1000 would take some 60 GB.
constexpr std::size_t MOST_BODIES = 200;

[[noreturn]] void fail(const std::string & message) {
  std::fprintf(stderr, "kern_pin: %s\n", message.c_str());
  std::exit(2);
}

Model read_model(const char * file) {
  std::ifstream input(file);
  if (!input) fail(std::string("cannot read ") + file);
  const pinocchio::Inertia inertia(1.0, Eigen::Vector3d(0.02, 0.01, 0.15),
                                   pinocchio::Symmetric3(0.02, 0.0, 0.018, 0.0, 0.0, 0.005));
  Model model;  // its gravity is (0, 0, -9.81)
  std::vector<pinocchio::JointIndex> joints;
  int parent;
  std::string axis;
  Eigen::Vector3d at;
  while (input >> parent >> axis >> at[0] >> at[1] >> at[2]) {
    if (joints.size() == MOST_BODIES) fail("more than 200 bodies: Pinocchio's Data would fill the memory");
    if (parent >= static_cast<int>(joints.size())) fail("a parent after its child");
    const pinocchio::JointIndex under = parent < 0 ? 0 : joints[parent];
    const pinocchio::SE3 place(Eigen::Matrix3d::Identity(), at);
    const std::string name = "j" + std::to_string(joints.size());
    pinocchio::JointIndex joint;
    if (axis == "x") joint = model.addJoint(under, pinocchio::JointModelRX(), place, name);
    else if (axis == "y") joint = model.addJoint(under, pinocchio::JointModelRY(), place, name);
    else if (axis == "z") joint = model.addJoint(under, pinocchio::JointModelRZ(), place, name);
    else if (axis == "free") joint = model.addJoint(under, pinocchio::JointModelFreeFlyer(), place, name);
    else fail("unknown axis " + axis);
    model.appendBodyToJoint(joint, inertia);
    joints.push_back(joint);
  }
  if (joints.empty() || !input.eof()) fail("not a model");
  return model;
}

/// Position, velocity, and acceleration or force of one state.
struct State {
  Vector q, v, a;
};

/// State k of the comparison; number 0 is the one of `check`.
State make_state(const Model & model, int k) {
  State s{pinocchio::neutral(model), Vector(model.nv), Vector(model.nv)};
  int hinge = 0;
  for (pinocchio::JointIndex j = 1; j < static_cast<pinocchio::JointIndex>(model.njoints); ++j) {
    const int at = model.idx_qs[j];
    if (model.nqs[j] == 7) {
      const Eigen::Vector3d axis = Eigen::Vector3d(1, 2, 3).normalized();
      s.q.segment<3>(at) = Eigen::Vector3d(0.1, 0.2, 0.3);
      s.q.segment<3>(at + 3) = std::sin(0.05 * k) * axis;  // x y z w
      s.q[at + 6] = std::cos(0.05 * k);
    } else {
      s.q[at] = 0.1 + 0.05 * hinge++ + 0.1 * k;
    }
  }
  for (int i = 0; i < model.nv; ++i) {
    s.v[i] = 0.2 - 0.01 * i + 0.02 * k;
    s.a[i] = 0.3 + 0.02 * i - 0.03 * k;
  }
  return s;
}

const Vector & aba(const Model & model, Data & data, const State & s, Convention convention) {
  return call_aba(model, data, Ref(s.q), Ref(s.v), Ref(s.a), convention);
}

const Vector & rnea(const Model & model, Data & data, const State & s) {
  return call_rnea(model, data, Ref(s.q), Ref(s.v), Ref(s.a));
}

const Eigen::MatrixXd & crba(const Model & model, Data & data, const State & s, Convention convention) {
  return call_crba(model, data, Ref(s.q), convention);
}

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// CPU time per call in ns over n calls, from state to state.
template <class Kernel>
double per_call(const std::vector<State> & states, long n, Kernel kernel) {
  const double begin = cpu_seconds();
  for (long i = 0; i < n; ++i) kernel(states[i % STATES]);
  return (cpu_seconds() - begin) / static_cast<double>(n) * 1e9;
}

void print(const char * name, const Vector & values) {
  std::printf("%s", name);
  for (Eigen::Index i = 0; i < values.size(); ++i) std::printf(" %.17g", values[i]);
  std::printf("\n");
}

}  // namespace

int main(int count, char ** arguments) {
  if (count != 2) fail("usage: kern_pin MODEL.txt");
  const Model model = read_model(arguments[1]);
  Data data(model);
  std::vector<State> states;
  for (int k = 0; k < STATES; ++k) states.push_back(make_state(model, k));

  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command;
    long n = 0;
    words >> command >> n;
    const auto time = [&](auto kernel) {
      if (n < 1) std::printf("error: %s needs a number of calls\n", command.c_str());
      else std::printf("%.6f\n", per_call(states, n, kernel));
    };
    if (command == "aba_local") {
      time([&](const State & s) { aba(model, data, s, Convention::LOCAL); });
    } else if (command == "aba_world") {
      time([&](const State & s) { aba(model, data, s, Convention::WORLD); });
    } else if (command == "rnea") {
      time([&](const State & s) { rnea(model, data, s); });
    } else if (command == "crba_local") {
      time([&](const State & s) { crba(model, data, s, Convention::LOCAL); });
    } else if (command == "crba_world") {
      time([&](const State & s) { crba(model, data, s, Convention::WORLD); });
    } else if (command == "check") {
      const State & s = states[0];
      print("rnea", rnea(model, data, s));
      print("aba_local", aba(model, data, s, Convention::LOCAL));
      print("aba_world", aba(model, data, s, Convention::WORLD));
      print("mass_diagonal_local", crba(model, data, s, Convention::LOCAL).diagonal());
      print("mass_diagonal_world", crba(model, data, s, Convention::WORLD).diagonal());
      std::printf("end\n");
    } else if (command == "about") {
      std::printf("pinocchio %s %d aba_local aba_world rnea crba_local crba_world\n", PINOCCHIO_VERSION, model.nv);
    } else {
      std::printf("error: unknown command %s\n", command.c_str());
    }
    std::fflush(stdout);
  }
}
