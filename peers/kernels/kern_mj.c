/* MuJoCo's kernels behind a line protocol: kern_mj MODEL.txt. See ../README.md, "Kernels".
 * The model is built with mjSpec, because the XML reader refuses bodies nested 1000 deep. */

#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATES = 16, MOST_BODIES = 4096 };

static mjModel *model;
static mjData *data;
static double *force, *scratch;

/* The states one after the other; `a` is the acceleration of `inverse` and the force of `forward`. */
static double *all_q, *all_v, *all_a;

static void fail(const char *message) {
  fprintf(stderr, "kern_mj: %s\n", message);
  exit(2);
}

static double *reals(size_t n) {
  double *p = calloc(n, sizeof *p);
  if (!p) fail("out of memory");
  return p;
}

static mjModel *read_model(const char *file) {
  static mjsBody *bodies[MOST_BODIES];
  FILE *input = fopen(file, "r");
  if (!input) fail("cannot read the model");
  mjSpec *spec = mj_makeSpec();
  /* Everything that is not dynamics of the tree is off. */
  spec->option.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS |
                               mjDSBL_LIMIT | mjDSBL_SPRING | mjDSBL_DAMPER | mjDSBL_ACTUATION | mjDSBL_SENSOR;
  spec->option.gravity[0] = spec->option.gravity[1] = 0;
  spec->option.gravity[2] = -9.81;
  int n = 0, parent;
  char axis[8];
  double at[3];
  while (fscanf(input, "%d %7s %lf %lf %lf", &parent, axis, &at[0], &at[1], &at[2]) == 5) {
    if (n == MOST_BODIES) fail("too many bodies");
    if (parent >= n) fail("a parent after its child");
    mjsBody *body = mjs_addBody(parent < 0 ? mjs_findBody(spec, "world") : bodies[parent], NULL);
    bodies[n++] = body;
    const double centre[3] = {0.02, 0.01, 0.15}, inertia[3] = {0.02, 0.018, 0.005};
    body->mass = 1;
    body->explicitinertial = 1;
    for (int i = 0; i < 3; i++) {
      body->pos[i] = at[i];
      body->ipos[i] = centre[i];
      body->inertia[i] = inertia[i];
    }
    if (!strcmp(axis, "free")) {
      mjs_addFreeJoint(body);
    } else if (axis[1] == 0 && axis[0] >= 'x' && axis[0] <= 'z') {
      mjsJoint *joint = mjs_addJoint(body, NULL);
      joint->type = mjJNT_HINGE;
      for (int i = 0; i < 3; i++) joint->axis[i] = i == axis[0] - 'x';
    } else {
      fail("unknown axis");
    }
  }
  if (n == 0 || !feof(input)) fail("not a model");
  fclose(input);
  mjModel *compiled = mj_compile(spec, NULL);
  if (!compiled) fail(mjs_getError(spec));
  /* Compiling sorts bodies depth first. The files are in that order already, and so are the degrees of freedom. */
  for (int i = 0; i < n; i++)
    if (mjs_getId(bodies[i]->element) != i + 1) fail("the file is not in depth-first order");
  return compiled;
}

/* State k of the comparison; number 0 is the one of `check`. */
static void make_state(int k, double *q, double *v, double *a) {
  int hinge = 0;
  for (int j = 0; j < model->njnt; j++) {
    double *at = q + model->jnt_qposadr[j];
    if (model->jnt_type[j] == mjJNT_FREE) {
      for (int i = 0; i < 3; i++) {
        at[i] = 0.1 * (i + 1);
        at[4 + i] = sin(0.05 * k) * (i + 1) / sqrt(14); /* w x y z */
      }
      at[3] = cos(0.05 * k);
    } else {
      at[0] = 0.1 + 0.05 * hinge++ + 0.1 * k;
    }
  }
  for (int i = 0; i < model->nv; i++) {
    v[i] = 0.2 - 0.01 * i + 0.02 * k;
    a[i] = 0.3 + 0.02 * i - 0.03 * k;
  }
}

static void put(double *to, const double *all, int k, int n) {
  memcpy(to, all + (size_t)k * n, n * sizeof *to);
}

/* Whole forward dynamics as MuJoCo offers it. */
static void forward(int k) {
  put(data->qpos, all_q, k, model->nq);
  put(data->qvel, all_v, k, model->nv);
  put(data->qfrc_applied, all_a, k, model->nv);
  mj_forward(model, data);
}

/* The same from its parts, without the stages that have nothing to do in these models. */
static void forward_parts(int k) {
  put(data->qpos, all_q, k, model->nq);
  put(data->qvel, all_v, k, model->nv);
  mj_kinematics(model, data);
  mj_comPos(model, data);
  mj_makeM(model, data);
  mj_factorM(model, data);
  mj_comVel(model, data);
  mj_rne(model, data, 0, data->qfrc_bias);
  const double *applied = all_a + (size_t)k * model->nv;
  for (int i = 0; i < model->nv; i++) scratch[i] = applied[i] - data->qfrc_bias[i];
  mj_solveM(model, data, data->qacc, scratch, 1);
}

/* Forces for accelerations, kinematics included. */
static void inverse(int k) {
  put(data->qpos, all_q, k, model->nq);
  put(data->qvel, all_v, k, model->nv);
  put(data->qacc, all_a, k, model->nv);
  mj_kinematics(model, data);
  mj_comPos(model, data);
  mj_comVel(model, data);
  mj_rne(model, data, 1, force);
}

/* Mass matrix, kinematics included. */
static void mass(int k) {
  put(data->qpos, all_q, k, model->nq);
  mj_kinematics(model, data);
  mj_comPos(model, data);
  mj_makeM(model, data);
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print(const char *name, const double *values) {
  printf("%s", name);
  for (int i = 0; i < model->nv; i++) printf(" %.17g", values[i]);
  printf("\n");
}

/* omega x v of the free joint in state 0, where the body's axes are those of the world. An acceleration of MuJoCo's
 * (rate of the velocity in the world) is that much more than one in body axes. False if there is no free joint. */
static int turning(double *result) {
  if (model->jnt_type[0] != mjJNT_FREE) return 0;
  const double *v = all_v, *w = all_v + 3;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    result[i] = w[j] * v[l] - w[l] * v[j];
  }
  return 1;
}

static void check(void) {
  double turn[3] = {0, 0, 0};
  const int is_free = turning(turn);
  inverse(0);
  print("rnea", force);
  if (is_free) {
    for (int i = 0; i < 3; i++) data->qacc[i] += turn[i];
    mj_rne(model, data, 1, force);
    print("rnea_body", force);
  }
  forward_parts(0);
  print("aba_parts", data->qacc);
  forward(0);
  print("aba", data->qacc);
  if (is_free) {
    for (int i = 0; i < 3; i++) data->qacc[i] -= turn[i];
    print("aba_body", data->qacc);
  }
  mass(0);
  for (int i = 0; i < model->nv; i++) /* rows of the lower triangle, the diagonal last */
    scratch[i] = data->M[model->M_rowadr[i] + model->M_rownnz[i] - 1];
  print("mass_diagonal", scratch);
  printf("end\n");
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*run)(int);
  } kernels[] = {{"forward", forward}, {"forward_parts", forward_parts}, {"inverse", inverse}, {"mass", mass}};
  const int how_many = sizeof kernels / sizeof *kernels;
  if (count != 2) fail("usage: kern_mj MODEL.txt");
  model = read_model(arguments[1]);
  data = mj_makeData(model);
  if (!data) fail("out of memory");
  force = reals(model->nv);
  scratch = reals(model->nv);
  all_q = reals((size_t)STATES * model->nq);
  all_v = reals((size_t)STATES * model->nv);
  all_a = reals((size_t)STATES * model->nv);
  for (int k = 0; k < STATES; k++)
    make_state(k, all_q + (size_t)k * model->nq, all_v + (size_t)k * model->nv, all_a + (size_t)k * model->nv);

  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    char command[64] = "";
    long n = 0;
    sscanf(line, "%63s %ld", command, &n);
    int kernel = 0;
    while (kernel < how_many && strcmp(command, kernels[kernel].name)) kernel++;
    if (kernel < how_many && n < 1) {
      printf("error: %s needs a number of calls\n", command);
    } else if (kernel < how_many) {
      const double begin = cpu_seconds();
      for (long i = 0; i < n; i++) kernels[kernel].run(i % STATES);
      printf("%.6f\n", (cpu_seconds() - begin) / (double)n * 1e9);
    } else if (!strcmp(command, "check")) {
      check();
    } else if (!strcmp(command, "about")) {
      printf("mujoco %s %d", mj_versionString(), (int)model->nv);
      for (int i = 0; i < how_many; i++) printf(" %s", kernels[i].name);
      printf("\n");
    } else {
      printf("error: unknown command %s\n", command);
    }
    fflush(stdout);
  }
  return 0;
}
