#!/usr/bin/env bash
# Installs Pinocchio and MuJoCo outside the repository and builds the drivers of the kernel comparison there.
# The folder is $HOLONOM_PEERS_DIR, ~/.cache/holonom-peers unless set. It is safe to run again: what is there stays.
# Takes about ten minutes, nearly all of it for compiling kern_pin.cpp three times.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${HOLONOM_PEERS_DIR:-$HOME/.cache/holonom-peers}
# ziglang is there for its clang: with it Pinocchio is faster than with g++.
packages=(pin==4.1.0 mujoco==4.0.0 ziglang==0.17.0)

say() { echo "== $*"; }

if [ ! -f /usr/include/eigen3/Eigen/Core ]; then
    say "libeigen3-dev"
    root=()
    [ "$(id -u)" = 0 ] || root=(sudo)
    "${root[@]}" apt-get install -y --no-install-recommends libeigen3-dev
fi

mkdir -p "$folder/bin" "$folder/checks"
folder=$(cd "$folder" && pwd)
python=$folder/venv/bin/python
[ -x "$python" ] || python3 -m venv "$folder/venv"
say "${packages[*]}"
"$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# build NAME SOURCE COMMAND…: runs COMMAND -o bin/NAME, unless the program is newer than source, script and packages.
build() {
    local name=$1 source=$2 program=$folder/bin/$1
    shift 2
    if [ "$program" -nt "$source" ] && [ "$program" -nt "$here/install.sh" ] && [ "$program" -nt "$stamp" ]; then
        say "$name is up to date"
        return
    fi
    say "$name"
    "$@" -o "$program.new"
    mv "$program.new" "$program"
}

# Changes only when the set of packages does.
stamp=$folder/packages
printf '%s\n' "${packages[@]}" >"$stamp.new"
if cmp -s "$stamp.new" "$stamp"; then rm "$stamp.new"; else mv "$stamp.new" "$stamp"; fi

mujoco=$site/mujoco
build kern_mj "$here/kern_mj.c" \
    gcc -std=c11 -Wall -Wextra -O3 -march=native -I"$mujoco/include" "$here/kern_mj.c" \
    "$mujoco"/libmujoco.so.* -Wl,-rpath,"$mujoco" -lm

pin=$site/cmeel.prefix
# The definitions of Boost's limits are those Pinocchio was built with. -w: its headers warn a lot.
common=(-std=c++17 -O3 -DNDEBUG -w -I"$pin/include" -isystem /usr/include/eigen3
    -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
    -DBOOST_FUSION_INVOKE_MAX_ARITY=12 "$here/kern_pin.cpp")
# The wheel's own code: the algorithms are taken from its library.
build kern_pin_wheel "$here/kern_pin.cpp" \
    g++ "${common[@]}" -DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION -L"$pin/lib" -lpinocchio_default -Wl,-rpath,"$pin/lib"
# Instantiated here, for this processor, without the library.
build kern_pin_native "$here/kern_pin.cpp" g++ "${common[@]}" -march=native
export ZIG_GLOBAL_CACHE_DIR=$folder/zig ZIG_LOCAL_CACHE_DIR=$folder/zig
build kern_pin_clang "$here/kern_pin.cpp" "$python" -m ziglang c++ "${common[@]}" -march=native

say "models and check values"
"$python" "$here/models.py" "$folder/models"
for model in "$folder"/models/*.txt; do
    for program in "$folder"/bin/kern_*; do
        case $(basename "$program")/$(basename "$model") in
        kern_pin*/chain1000.txt) continue ;;
        esac
        echo check | "$program" "$model" >"$folder/checks/$(basename "$program")_$(basename "$model")"
    done
done
say "done: $folder"
