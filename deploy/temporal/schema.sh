#!/bin/sh
# Creates the databases that do not exist, and brings their schemas to the version of this image. Repeating it changes nothing.
set -eu
schemas=/etc/temporal/schema/postgresql/v12
for part in temporal:temporal temporal_visibility:visibility; do
  temporal-sql-tool --db "${part%%:*}" create
  temporal-sql-tool --db "${part%%:*}" setup-schema -v 0.0
  temporal-sql-tool --db "${part%%:*}" update-schema -d "$schemas/${part##*:}/versioned"
done
