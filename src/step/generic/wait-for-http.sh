# shellcheck shell=dash
# Asking over HTTP from the host, with whatever it has.

# URL CA INSECURE SECONDS PYTHON: prints the status, then the body or the reason; 90 when nothing can do that. CA: a file of certificates, or
# empty. INSECURE: 1, or empty. It gives up after the seconds. PYTHON: a program that does it, with these arguments.
kxg_get() {
  if command -v curl >/dev/null; then
    kxg_curl "$@"
  elif command -v python3 >/dev/null; then
    python3 -c "$5" "$1" "$2" "$3" "$4"
  elif command -v wget >/dev/null; then
    kxg_wget "$@"
  else
    return 90
  fi 2>/dev/null
}

kxg_curl() {
  local url=$1 seconds=$4 answer=''
  set -- ${2:+--cacert "$2"} ${3:+--insecure}
  answer=$(curl -g -sS --noproxy '*' -m "$seconds" -w '
%{http_code}' "$@" --url "$url" 2>&1 </dev/null)
  printf '%s\n%s\n' "${answer##*
}" "${answer%
*}"
}

kxg_wget() {
  local url=$1 heads='' status=''
  if wget --version 2>/dev/null | grep -q GNU; then
    set -- wget ${2:+--ca-certificate="$2"} ${3:+--no-check-certificate} -t 1 -T "$4" --no-proxy --max-redirect=0 --content-on-error
  else
    # That of busybox verifies nothing.
    case $1 in https:*) [ -n "$3" ] || return 90 ;; esac
    if command -v timeout >/dev/null; then set -- timeout "$4" wget -Y off; else set -- wget -Y off; fi
  fi
  heads=$("$@" -q -S -O /dev/null "$url" 2>&1 </dev/null)
  status=$(printf '%s\n' "$heads" | sed -n 's/^ *HTTP\/[0-9.]* \([0-9][0-9][0-9]\).*/\1/p' | head -n 1)
  printf '%s\n' "${status:-000}"
  if [ -n "$status" ]; then "$@" -q -O - "$url" </dev/null; else printf '%s\n' "$heads"; fi
}
