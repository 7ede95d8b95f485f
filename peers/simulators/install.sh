#!/usr/bin/env bash
# Installs Exudyn and MuJoCo for `peers simulators` outside the repository: $HOLONOM_PEERS_DIR/simulators,
# ~/.cache/holonom-peers/simulators unless set.
set -euo pipefail
folder=${HOLONOM_PEERS_DIR:-$HOME/.cache/holonom-peers}/simulators
[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check exudyn==1.13.6 mujoco==4.0.0 numpy==2.4.6 scipy==1.17.1
