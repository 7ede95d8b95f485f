#!/usr/bin/env bash
# Installs Pinocchio and the robots of example-robot-data for `peers robots` outside the repository:
# $HOLONOM_PEERS_DIR/robots, ~/.cache/holonom-peers/robots unless set.
set -euo pipefail
folder=${HOLONOM_PEERS_DIR:-$HOME/.cache/holonom-peers}/robots
[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check pin==4.1.0 numpy==2.4.6
# Only its files are needed, not the libraries that it names.
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps example-robot-data==6.0.0
