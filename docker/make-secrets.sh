#!/bin/sh
# Creates missing secrets of docker-compose.yml in the folder `secrets`. Existing ones stay: the database keeps its initial
# password, and API keys are encrypted with the secret key.
set -eu
cd "$(dirname "$0")/.."
mkdir -p secrets
# Only the owner may enter the folder. The files are readable for the users inside the containers.
chmod 700 secrets
for name in secret_key postgres_password dashboard_password; do
  file=secrets/$name
  if [ -s "$file" ]; then
    echo "$file is there"
    continue
  fi
  # Written completely or not at all.
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$file.new"
  chmod 444 "$file.new"
  mv "$file.new" "$file"
  echo "$file made"
done
