# shellcheck shell=dash
# What a cluster changed on this machine, in `$KX_STATE/manifest`: `cluster` says whose (`UID NAME`); `entries/N` is one
# change, in the order of changing, with `meta` (JSON), `by` (the key of its undo record), `ids`, numbered slots as undo
# records have them (`path`, `image`, `was` for a tree, `after`: what we left there), and `e.ID`: an effect and what of it
# was there before. `names/ID` leads to the entry, or for a path to the slot, that a resource has for the cluster's life.

kx_manifest() { kx_m=$KX_STATE/manifest; }

# UID NAME: the manifest is this cluster's, from now on if it was nobody's.
kx_claim() {
  kx_manifest
  if [ -s "$kx_m/cluster" ]; then
    read -r kx_x kx_y <"$kx_m/cluster"
    [ "$kx_x" = "$1" ] && return
    echo "this machine belongs to cluster $kx_y ($kx_x)" >&2
    return 1
  fi
  mkdir -p "$kx_m" && printf '%s %s\n' "$1" "$2" >"$kx_m/cluster.new$$" && sync -- "$kx_m/cluster.new$$" 2>/dev/null
  mv -fT "$kx_m/cluster.new$$" "$kx_m/cluster"
}

# KEY UID NAME META SECONDS RESOURCE…: owns what a step is about to change: the paths of the undo record KEY, staged or
# not, and resources: "n ID", "e ID TYPE ARGUMENT", or "p ID": the next path's. What is owned already keeps its entry.
# SECONDS: how long the change may take at most. Record and entry are on disk, and have their names, when this returns.
kx_own() {
  kx_claim "$2" "$3" || return
  [ -d "$kx_m/names" ] || mkdir -p "$kx_m/entries" "$kx_m/names" || return
  kx_key=$1 kx_meta=$4 kx_seconds=$5
  shift 5
  case $kx_staged in "$KX_STATE/undo/$kx_key.new"*) ;; *) kx_staged='' kx_tree= ;; esac
  kx_new=$kx_m/new$$ kx_ids=
  [ ! -e "$kx_new" ] || rm -rf "$kx_new" || return
  mkdir "$kx_new" || return
  for kx_image in "${kx_staged:-$KX_STATE/undo/$kx_key}"/[0-9]*; do
    [ -d "$kx_image" ] || continue
    case ${1-} in p\ *)
      kx_id=${1#p }
      shift
      ;;
    *) kx_id=$(kx_sha256 "$kx_image/path") || return ;; esac
    kx_own_path || return
  done
  for kx_resource; do
    kx_id=${kx_resource#? }
    kx_id=${kx_id%% *}
    [ ! -e "$kx_m/names/$kx_id" ] || continue
    case $kx_resource in
      p\ *) continue ;;
      e\ *)
        kx_effect=${kx_resource#e * }
        { printf '%s\n' "$kx_effect" && kx_effect_look "$kx_effect"; } >"$kx_new/e.$kx_id" || return
        ;;
    esac
    kx_ids="$kx_ids $kx_id:"
  done
  if [ -n "$kx_ids" ]; then
    # shellcheck disable=SC2086 # several words
    printf '%s\n' "$kx_meta" >"$kx_new/meta" && printf '%s\n' "$kx_key" >"$kx_new/by" &&
      printf '%s\n' $kx_ids >"$kx_new/ids" || return
  fi
  kx_sync "$kx_tree" "$kx_new" ${kx_staged:+"$kx_staged"} || return
  [ -z "$kx_staged" ] || mv -T "$kx_staged" "$kx_record" || return
  if [ -n "$kx_ids" ]; then kx_enter || return; else rm -rf "$kx_new"; fi
  kx_sync_dirs "${kx_staged:-$kx_m}" "$kx_m" "$kx_m/entries" "$kx_m/names"
}

# One path of the undo record: a slot of its own if it is new, else a mark at the one it has.
kx_own_path() {
  printf '%s\n' "$kx_id" >"$kx_image/id" || return
  kx_boot
  printf '%s %s\n' "$kx_seconds" "$kx_boot" >"$kx_image/pending" || return
  if [ -d "$kx_m/names/$kx_id" ]; then
    kx_slot=$kx_m/names/$kx_id
    [ ! -e "$kx_slot/begun" ] || rm -f "$kx_slot/begun"
    printf '%s %s\n' "$kx_seconds" "$kx_boot" >"$kx_slot/pending" || return
    sync -- "$kx_slot/pending" "$kx_slot/." 2>/dev/null || sync
    return
  fi
  kx_slot=$kx_new/${kx_image##*/}
  # A before-image never changes: both records can have the same files.
  cp -al -- "$kx_image" "$kx_slot" 2>/dev/null || { rm -rf "$kx_slot" && cp -a -- "$kx_image" "$kx_slot"; } || return
  if [ -d "$kx_slot/image" ] && [ ! -L "$kx_slot/image" ]; then
    kx_tree=1
    kx_look "$kx_slot/image" && printf '%s\n' "$kx_seen" >"$kx_slot/was" || return
  fi
  kx_ids="$kx_ids $kx_id:/${kx_image##*/}"
}

# The new entry gets its number and its names. A directory is never renamed over a non-empty one: another writer
# that wants the same number takes the next.
kx_enter() {
  kx_number=0
  { read -r kx_number <"$kx_m/last"; } 2>/dev/null
  while :; do
    kx_number=$((kx_number + 1))
    kx_name=00000$kx_number
    kx_name=${kx_name#"${kx_name%??????}"}
    [ ! -e "$kx_m/entries/$kx_name" ] && mv -T "$kx_new" "$kx_m/entries/$kx_name" 2>/dev/null && break
    [ -d "$kx_new" ] && [ "$kx_number" -lt 999999 ] && [ -d "$kx_m/entries" ] || return
  done
  printf '%s\n' "$kx_number" >"$kx_m/last"
  for kx_id in $kx_ids; do
    [ ! -L "$kx_m/names/${kx_id%%:*}" ] || rm -f "$kx_m/names/${kx_id%%:*}"
    ln -s "../entries/$kx_name${kx_id#*:}" "$kx_m/names/${kx_id%%:*}" || return
  done
}

# KEY SCRIPT: makes the change, in a shell of its own: whatever it does to end itself, what it left is noted.
kx_owning() {
  kx_own_begin "$1" || return
  (eval "$2")
  kx_ended=$?
  kx_own_end "$1"
  return "$kx_ended"
}

# KEY: the change begins now. What somebody else has made of its paths since their before-images were taken would be lost:
# it is kept beside, and reported when all is undone. No sync: what comes later cannot be on disk before this is.
kx_own_begin() {
  kx_manifest
  for kx_image in "$KX_STATE/undo/$1"/[0-9]*; do
    [ -d "$kx_image" ] && kx_path_in "$kx_image" || continue
    if [ ! -e "$kx_image/begun" ] && read -r kx_y <"$kx_image/seen" && [ "$kx_y" != "$(kx_trace "$kx_path")" ]; then
      kx_own_spare || return
    fi
    { read -r kx_id <"$kx_image/id"; } 2>/dev/null || continue
    : >"$kx_image/begun" || return
    [ ! -d "$kx_m/names/$kx_id" ] || : >"$kx_m/names/$kx_id/begun" || return
  done
}

# Keeps what is at kx_path now beside it.
kx_own_spare() {
  [ -e "$kx_path" ] || [ -L "$kx_path" ] || return 0
  kx_beside_name
  kx_copy "$kx_path" "$kx_kept" && printf '%s\n' "$kx_kept" >"$kx_image/kept" || return
  if [ -d "$kx_m" ]; then printf '%s\n%s\n' "$kx_path" "$kx_kept" >>"$kx_m/kept" || return; fi
  echo "$kx_path was changed by somebody else just now: what they made of it stays as $kx_kept" >&2
}

# PATH: prints marks that differ if anything happened to it since: much cheaper than its content.
kx_trace() {
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    find "$1" -exec stat -c '%i %s %f %z %n' -- {} + | sort | sha256sum
  elif [ -e "$1" ] || [ -L "$1" ]; then
    stat -c '%i %s %f %z' -- "$1"
  else
    echo absent
  fi
}

# KEY: the change is over, however it ended: what is at its paths now is what we left there. One that cannot be noted does
# not keep the others from it.
kx_own_end() {
  kx_manifest
  kx_dir=$KX_STATE/undo/$1 kx_failed=
  set --
  for kx_image in "$kx_dir"/[0-9]*; do
    [ -d "$kx_image" ] && kx_path_in "$kx_image" || continue
    if kx_look "$kx_path" && printf '%s\n' "$kx_seen" >"$kx_image/left.new"; then
      mv -fT "$kx_image/left.new" "$kx_image/left" || kx_failed=1
    else
      kx_failed=1
      continue
    fi
    { read -r kx_id <"$kx_image/id"; } 2>/dev/null || continue
    kx_slot=$kx_m/names/$kx_id
    [ -d "$kx_slot" ] || continue
    printf '%s\n' "$kx_seen" >"$kx_slot/after.new" && set -- "$@" "$kx_slot" || kx_failed=1
    # Some at once, so that many share one sync.
    [ "$#" -lt 50 ] || {
      kx_own_left "$@"
      set --
    }
  done
  kx_own_left "$@"
  [ -z "$kx_failed" ]
}

# SLOT…: what was left there is known from now on; kx_failed if it is not.
kx_own_left() {
  [ "$#" -gt 0 ] || return 0
  for kx_x; do
    shift
    set -- "$@" "$kx_x/after.new"
  done
  sync -- "$@" 2>/dev/null || sync
  for kx_x; do
    shift
    mv -fT "$kx_x" "${kx_x%.new}" && set -- "$@" "${kx_x%/*}/pending" "${kx_x%/*}/begun" || kx_failed=1
  done
  [ "$#" = 0 ] || rm -f "$@" || kx_failed=1
}

# KEY: its change was put back. What it was the first to change is owned no longer, once what others made because of it is
# gone too; the rest is as an earlier run left it.
kx_disown() {
  kx_manifest
  for kx_entry in "$kx_m"/entries/*; do
    { read -r kx_x <"$kx_entry/by"; } 2>/dev/null || continue
    [ "$kx_x" = "$1" ] || continue
    kx_reset_effects "${kx_entry##*/}" && kx_reset_drop "${kx_entry##*/}" || return
  done
  kx_own_end "$1" || return
  if rmdir "$kx_m/entries" 2>/dev/null; then rm -rf "$kx_m"; fi
}

# DIR: the path that a slot is about, in kx_path. A name may end with line breaks.
kx_path_in() {
  { IFS= read -r kx_path && ! IFS= read -r kx_x; } <"$1/path" && return
  kx_path=$(cat "$1/path" && echo .) || return
  kx_path=${kx_path%??}
}

# PATH: what is there, in kx_seen, as lines that can be compared: type, mode, owner, and content or target; all below a
# directory.
kx_look() {
  if [ -L "$1" ]; then
    kx_seen="l $(stat -c %u:%g -- "$1") $(readlink -- "$1")"
  elif [ -d "$1" ]; then
    kx_seen=$(kx_list_tree "$1")
  elif [ -f "$1" ]; then
    # The size first: kx_sha256 would need one more program to learn it.
    kx_stat=$(stat -c '%s %a %u:%g' -- "$1") || return
    if [ "${kx_stat%% *}" -lt 4000000 ] && command -v sha256sum >/dev/null; then
      kx_sum=$(sha256sum <"$1")
    else
      kx_sum=$(kx_sha256 "$1")
    fi && kx_seen="f ${kx_stat#* } ${kx_sum%% *}"
  elif [ -e "$1" ]; then
    kx_seen="o $(stat -c '%f %u:%g %t:%T' -- "$1")"
  else
    kx_seen=absent
  fi
}

kx_list_tree() {
  (
    cd -- "$1" || exit
    find . -exec stat -c 's %f %u %g %n' -- {} + || exit
    find . -type f -exec sha256sum -- {} + | sed 's/^/h /'
    find . -type l -exec sh -c 'for l do printf "l %s -> " "$l"; readlink -- "$l"; done' sh {} +
  ) | sort
}

# Whose machine this is, and its entries: "UID NAME", then for head -v its metas and paths, then which paths had something.
kx_manifest_show() {
  kx_manifest
  [ -s "$kx_m/cluster" ] || return 0
  cat "$kx_m/cluster"
  cd "$kx_m/entries" 2>/dev/null || return 0
  for kx_x in */[0-9]*/image; do
    if [ -e "$kx_x" ] || [ -L "$kx_x" ]; then printf 'image %s\n' "${kx_x%/image}"; fi
  done
  set -- */meta
  [ ! -e "$1" ] || head -v -n 1 "$@"
  set -- */[0-9]*/path
  [ ! -e "$1" ] || head -v -c 8192 "$@"
}

# Whose machine this is: "UID NAME", or nothing.
kx_manifest_owner() {
  kx_manifest
  [ ! -s "$kx_m/cluster" ] || cat "$kx_m/cluster"
}
