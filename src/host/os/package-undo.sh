# shellcheck shell=dash
# shellcheck disable=SC2016,SC2086 # programs of awk; lists of names are several words
# Undoes transactions: what came goes, what went comes back, with versions, marks and the state of units as they were.

# PROGRAM FILE…: awk over lists of this transaction. The program sees in f which list a line is of.
kxp_sets() {
  local program=''
  program="{ f = FILENAME } $1"
  shift
  (cd "$kxp_t" && awk -F= "$program" "$@")
}

# N: undoes the transaction N.
kxp_undo() {
  local line=''
  kxp_t=$kxp_record/$1
  kxp_list >"$kxp_t/now" || return
  [ -e "$kxp_t/after" ] || cp "$kxp_t/now" "$kxp_t/after" || return
  [ -e "$kxp_t/links.after" ] || kxp_links >"$kxp_t/links.after" || return
  [ -e "$kxp_t/manual.after" ] || kxp_manual "$kxp_t" >"$kxp_t/manual.after"
  kxp_gone=$(kxp_sets 'f == "before" { b[$1] } f == "after" && !($1 in b) { print $1 }' before after)
  kxp_find_came
  kxp_went=$(kxp_sets 'f == "after" { a[$1] } f == "now" { n[$1] }
    f == "before" && !($1 in a) && !($1 in n) { print }' after now before)
  kxp_changed=$(kxp_sets 'f == "after" { a[$1] = $2 } f == "now" { n[$1] = $2 }
    f == "before" && ($1 in a) && a[$1] != $2 && ($1 in n) && n[$1] == a[$1] { print }' after now before)
  # What somebody has upgraded since is theirs.
  kxp_sets 'f == "after" { a[$1] = $2 } f == "now" { n[$1] = $2 }
    f == "before" && ($1 in a) && a[$1] != $2 && ($1 in n) && n[$1] != a[$1] && n[$1] != $2 {
      print $1 " stays at " n[$1] ": somebody else has changed it since" }' after now before |
    while IFS= read -r line; do kx_report left "$line"; done
  # shellcheck disable=SC2116 # makes one line of several
  kxp_gone=$(echo $kxp_gone) kxp_went=$(echo $kxp_went) kxp_changed=$(echo $kxp_changed)
  printf '%s\n' $kxp_went >"$kxp_t/went.now"
  [ -e "$kxp_t/went" ] || cp "$kxp_t/went.now" "$kxp_t/went" || return
  kxp_note_units || return
  kxp_swap || return
  kxp_clear
  kxp_unlink
  kxp_policy_off
  kxp_marks
  kxp_restore_units
  kxp_drop "$1"
}

# What came, and is there now.
kxp_find_came() {
  # shellcheck disable=SC2005,SC2046 # makes one line of several
  kxp_came=$(echo $(kxp_sets 'f == "before" { b[$1] } f == "now" { n[$1] }
    f == "after" && !($1 in b) && ($1 in n) { print $1 }' before now after))
}

# Configuration of another version that was laid beside the one in use goes with that version.
kxp_clear() {
  local x='' f='' s=''
  for x in $kxp_changed $kxp_went; do kxp_configs "${x%%=*}"; done | while read -r f x; do
    for s in "$f.dpkg-dist" "$f.dpkg-new" "$f.rpmnew"; do
      [ ! -f "$s" ] || grep -qxF -e "$s" "$kxp_t/spare" || rm -f -- "$s"
    done
  done
}

# The units of what came, as long as somebody knows them: once it is gone nobody does.
kxp_note_units() {
  : >>"$kxp_t/came.units"
  [ -z "$kxp_came" ] || kxp_files $kxp_came | sed -n 's,.*/systemd/\(system\|user\)/\([^/]*\.[a-z]*\)$,\2,p' >>"$kxp_t/came.units"
}

# A purge that was cut off may leave links of units that are gone, and nobody comes back for them: those that came with
# the package, lead to a unit of its own, and to nothing now.
kxp_unlink() {
  local x='' to=''
  sort -r "$kxp_t/links.after" | while IFS= read -r x; do
    grep -qxF -e "$x" "$kxp_t/links" && continue
    if [ -L "$x" ]; then
      [ ! -e "$x" ] && to=$(readlink -- "$x") || continue
      case $to in *lib/systemd/system/* | *lib/systemd/user/*) ;; *) continue ;; esac
      ! grep -qxF -e "${to##*/}" "$kxp_t/came.units" || rm -f -- "$x"
    else
      case $x in *.wants | *.requires) rmdir -- "$x" 2>/dev/null ;; esac
    fi
  done
}

# The marks that the transaction has changed, and those of what came back because we asked for it.
kxp_marks() {
  local to=''
  [ -s "$kxp_t/manual" ] || return 0
  kxp_list >"$kxp_t/now" && kxp_manual "$kxp_t" >"$kxp_t/manual.now" || return 0
  to=$(kxp_sets 'f == "manual" { m[$1] } f == "manual.after" { a[$1] } f == "went" { w[$1] } f == "before" { b[$1] }
    f == "manual.now" && !($1 in m) && ($1 in b) && (($1 in a) || ($1 in w)) { print $1 }' manual manual.after went before manual.now)
  [ -z "$to" ] || kxp_mark auto "$to"
  to=$(kxp_sets 'f == "manual.after" { a[$1] } f == "went" { w[$1] } f == "now" { n[$1] } f == "manual.now" { m[$1] }
    f == "manual" && ($1 in n) && !($1 in m) && (!($1 in a) || ($1 in w)) { print $1 }' manual.after went now manual.now manual)
  [ -z "$to" ] || kxp_mark manual "$to"
}

# The units of what came back are enabled and started as they were.
kxp_restore_units() {
  local x='' u=''
  [ -d /run/systemd/system ] && [ -s "$kxp_t/went" ] || return 0
  while IFS= read -r x; do
    [ -z "$x" ] || kxp_files "${x%%=*}" | sed -n 's|.*/systemd/system/\([^/]*\.[a-z]*\)$|\1|p' >"$kxp_t/its-units" || continue
    while IFS= read -r u; do kxp_restore_unit "$u"; done <"$kxp_t/its-units"
  done <"$kxp_t/went"
}

# UNIT: it is enabled and started as it was.
kxp_restore_unit() {
  local was=''
  was=$(awk -v u="$1" '$1 == u { print $2; exit }' "$kxp_t/units")
  case $was/$(systemctl is-enabled "$1" 2>/dev/null) in
    masked/masked | enabled/enabled | static/* | /*) ;;
    masked/*) systemctl mask -q -- "$1" ;;
    enabled/masked) systemctl unmask -q -- "$1" && systemctl enable -q -- "$1" ;;
    enabled/*) systemctl enable -q -- "$1" ;;
    disabled/masked) systemctl unmask -q -- "$1" ;;
    disabled/enabled) systemctl disable -q -- "$1" ;;
  esac
  if grep -qxF -e "$1" "$kxp_t/active"; then systemctl start -- "$1" || kx_report left "$1 does not start any more"; fi
}

# SINCE: undoes every transaction after the first SINCE ones, the last first.
kxp_undo_since() {
  kxp_count
  while [ "$kxp_n" -gt "$1" ]; do
    kxp_undo "$kxp_n" || return
    kxp_n=$((kxp_n - 1))
  done
}
