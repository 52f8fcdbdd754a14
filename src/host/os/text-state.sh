# shellcheck shell=dash

# KEY PATH: one line about a small text file, which `textOf` reads.
kxo_text() {
  local seen=''
  if [ -L "$2" ]; then
    printf 'text %s link %s\n' "$1" "$(readlink -n -- "$2" | base64 | tr -d '\n')"
  elif [ -f "$2" ] && seen=$(stat -c '%s %a %u %g' -- "$2") && [ "${seen%% *}" -le 65536 ]; then
    printf 'text %s file %s %s\n' "$1" "${seen#* }" "$(base64 <"$2" | tr -d '\n')"
  elif [ -e "$2" ]; then
    printf 'text %s other\n' "$1"
  else
    printf 'text %s absent\n' "$1"
  fi
}
