#!/bin/sh
# Makes the secrets of docker-compose.yml in the folder `secrets`, those that are missing. What is there stays: the
# database keeps the password that it was made with, and API keys are sealed with the secret key.
set -eu
cd "$(dirname "$0")/.."
mkdir -p secrets
# Nobody else gets into the folder. The files themselves are read by other users inside of the containers.
chmod 700 secrets
for name in secret_key postgres_password dashboard_password; do
  file=secrets/$name
  if [ -s "$file" ]; then
    echo "$file is there"
    continue
  fi
  # Whole or not at all.
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$file.new"
  chmod 444 "$file.new"
  mv "$file.new" "$file"
  echo "$file made"
done
