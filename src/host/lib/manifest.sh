# shellcheck shell=dash
# What a cluster changed on this machine, in `$KX_STATE/manifest`: `cluster` says whose (`UID NAME`); `entries/N` is one
# change, in the order of changing, with `meta` (JSON), `by` (the key of its undo record), `ids`, numbered slots as undo
# records have them (`path`, `image`, `was` for a tree, `after`: what we left there), and `e.ID`: an effect and what of it
# was there before. `names/ID` leads to the entry, or for a path to the slot, that a resource has for the cluster's life.

# UID NAME: the manifest is this cluster's, from now on if it was nobody's.
kx_claim() {
  local m="$KX_STATE/manifest" uid='' name=''
  if [ -s "$m/cluster" ]; then
    read -r uid name <"$m/cluster"
    [ "$uid" = "$1" ] && return
    echo "this machine belongs to cluster $name ($uid)" >&2
    return 1
  fi
  mkdir -p "$m" && printf '%s %s\n' "$1" "$2" >"$m/cluster.new$$" && sync -- "$m/cluster.new$$" 2>/dev/null
  mv -fT "$m/cluster.new$$" "$m/cluster"
}

# KEY UID NAME META SECONDS RESOURCE…: owns what a step is about to change: the paths of the undo record KEY, staged or
# not, and resources: "n ID", "e ID TYPE ARGUMENT", or "p ID": the next path's. What is owned already keeps its entry.
# SECONDS: how long the change may take at most. Record and entry are on disk, and have their names, when this returns.
kx_own() {
  local m="$KX_STATE/manifest" key="$1" meta="$4" seconds="$5" new='' image='' id='' resource='' effect=''
  kx_claim "$2" "$3" || return
  [ -d "$m/names" ] || mkdir -p "$m/entries" "$m/names" || return
  shift 5
  case $kx_staged in "$KX_STATE/undo/$key.new"*) ;; *) kx_staged='' kx_tree='' ;; esac
  new=$m/new$$ kx_ids=''
  [ ! -e "$new" ] || rm -rf "$new" || return
  mkdir "$new" || return
  for image in "${kx_staged:-$KX_STATE/undo/$key}"/[0-9]*; do
    [ -d "$image" ] || continue
    case ${1-} in
      p\ *)
        id=${1#p }
        shift
        ;;
      *) id=$(kx_sha256 "$image/path") || return ;;
    esac
    kx_own_path "$image" "$id" "$seconds" "$new" || return
  done
  for resource; do
    id=${resource#? }
    id=${id%% *}
    [ ! -e "$m/names/$id" ] || continue
    case $resource in
      p\ *) continue ;;
      e\ *)
        effect=${resource#e * }
        { printf '%s\n' "$effect" && kx_effect_look "$effect"; } >"$new/e.$id" || return
        ;;
    esac
    kx_ids="$kx_ids $id:"
  done
  if [ -n "$kx_ids" ]; then
    # shellcheck disable=SC2086 # several words
    printf '%s\n' "$meta" >"$new/meta" && printf '%s\n' "$key" >"$new/by" &&
      printf '%s\n' $kx_ids >"$new/ids" || return
  fi
  kx_sync "$kx_tree" "$new" ${kx_staged:+"$kx_staged"} || return
  [ -z "$kx_staged" ] || mv -T "$kx_staged" "$kx_record" || return
  if [ -n "$kx_ids" ]; then kx_enter "$new" "$kx_ids" || return; else rm -rf "$new"; fi
  kx_sync_dirs "${kx_staged:-$m}" "$m" "$m/entries" "$m/names"
}

# IMAGE ID SECONDS NEW: one path of the undo record: a slot of its own in the entry NEW if it is new, else a mark at the one it has.
# Adds to kx_ids what NEW names, and sets kx_tree if a tree must be on disk.
kx_own_path() {
  local m="$KX_STATE/manifest" image="$1" id="$2" seconds="$3" slot=''
  printf '%s\n' "$id" >"$image/id" || return
  kx_boot
  printf '%s %s\n' "$seconds" "$kx_boot" >"$image/pending" || return
  if [ -d "$m/names/$id" ]; then
    slot=$m/names/$id
    [ ! -e "$slot/begun" ] || rm -f "$slot/begun"
    printf '%s %s\n' "$seconds" "$kx_boot" >"$slot/pending" || return
    sync -- "$slot/pending" "$slot/." 2>/dev/null || sync
    return
  fi
  slot=$4/${image##*/}
  # A before-image never changes: both records can have the same files.
  cp -al -- "$image" "$slot" 2>/dev/null || { rm -rf "$slot" && cp -a -- "$image" "$slot"; } || return
  if [ -d "$slot/image" ] && [ ! -L "$slot/image" ]; then
    kx_tree=1
    kx_look "$slot/image" && printf '%s\n' "$kx_seen" >"$slot/was" || return
  fi
  kx_ids="$kx_ids $id:/${image##*/}"
}

# NEW IDS: the new entry gets its number and its names. A directory is never renamed over a non-empty one: another writer
# that wants the same number takes the next.
kx_enter() {
  local m="$KX_STATE/manifest" number=0 name='' id=''
  { read -r number <"$m/last"; } 2>/dev/null
  while :; do
    number=$((number + 1))
    name=00000$number
    name=${name#"${name%??????}"}
    [ ! -e "$m/entries/$name" ] && mv -T "$1" "$m/entries/$name" 2>/dev/null && break
    [ -d "$1" ] && [ "$number" -lt 999999 ] && [ -d "$m/entries" ] || return
  done
  printf '%s\n' "$number" >"$m/last"
  for id in $2; do
    [ ! -L "$m/names/${id%%:*}" ] || rm -f "$m/names/${id%%:*}"
    ln -s "../entries/$name${id#*:}" "$m/names/${id%%:*}" || return
  done
}

# KEY SCRIPT: makes the change, in a shell of its own: whatever it does to end itself, what it left is noted.
kx_owning() {
  local kx_ended=''
  kx_own_begin "$1" || return
  (eval "$2")
  kx_ended=$?
  kx_own_end "$1"
  return "$kx_ended"
}

# KEY: the change begins now. What somebody else has made of its paths since their before-images were taken would be lost:
# it is kept beside, and reported when all is undone. No sync: what comes later cannot be on disk before this is.
kx_own_begin() {
  local m="$KX_STATE/manifest" image='' id='' seen=''
  for image in "$KX_STATE/undo/$1"/[0-9]*; do
    [ -d "$image" ] && kx_path_in "$image" || continue
    if [ ! -e "$image/begun" ] && read -r seen <"$image/seen" && [ "$seen" != "$(kx_trace "$kx_path")" ]; then
      kx_own_spare "$kx_path" "$image" || return
    fi
    { read -r id <"$image/id"; } 2>/dev/null || continue
    : >"$image/begun" || return
    [ ! -d "$m/names/$id" ] || : >"$m/names/$id/begun" || return
  done
}

# PATH IMAGE: keeps what is at the path now beside it, and notes where in the record's IMAGE.
kx_own_spare() {
  local m="$KX_STATE/manifest"
  [ -e "$1" ] || [ -L "$1" ] || return 0
  kx_beside_name "$1"
  kx_copy "$1" "$kx_kept" && printf '%s\n' "$kx_kept" >"$2/kept" || return
  if [ -d "$m" ]; then printf '%s\n%s\n' "$1" "$kx_kept" >>"$m/kept" || return; fi
  kx_report left "$1 was changed by somebody else just now: what they made of it stays as $kx_kept"
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
  local m="$KX_STATE/manifest" dir="$KX_STATE/undo/$1" failed='' image='' slot='' id=''
  set --
  for image in "$dir"/[0-9]*; do
    [ -d "$image" ] && kx_path_in "$image" || continue
    if kx_look "$kx_path" && printf '%s\n' "$kx_seen" >"$image/left.new"; then
      mv -fT "$image/left.new" "$image/left" || failed=1
    else
      failed=1
      continue
    fi
    { read -r id <"$image/id"; } 2>/dev/null || continue
    slot=$m/names/$id
    [ -d "$slot" ] || continue
    printf '%s\n' "$kx_seen" >"$slot/after.new" && set -- "$@" "$slot" || failed=1
    # Some at once, so that many share one sync.
    [ "$#" -lt 50 ] || {
      kx_own_left "$@" || failed=1
      set --
    }
  done
  kx_own_left "$@" || failed=1
  [ -z "$failed" ]
}

# SLOT…: what was left there is known from now on. Fails if one cannot be noted.
kx_own_left() {
  local failed='' one=''
  [ "$#" -gt 0 ] || return 0
  for one; do
    shift
    set -- "$@" "$one/after.new"
  done
  sync -- "$@" 2>/dev/null || sync
  for one; do
    shift
    mv -fT "$one" "${one%.new}" && set -- "$@" "${one%/*}/pending" "${one%/*}/begun" || failed=1
  done
  [ "$#" = 0 ] || rm -f "$@" || failed=1
  [ -z "$failed" ]
}

# KEY: its change was put back. What it was the first to change is owned no longer, once what others made because of it is
# gone too; the rest is as an earlier run left it.
kx_disown() {
  local m="$KX_STATE/manifest" entry='' key=''
  for entry in "$m"/entries/*; do
    { read -r key <"$entry/by"; } 2>/dev/null || continue
    [ "$key" = "$1" ] || continue
    kx_reset_effects "${entry##*/}" && kx_reset_drop "${entry##*/}" || return
  done
  kx_own_end "$1" || return
  if rmdir "$m/entries" 2>/dev/null; then rm -rf "$m"; fi
}

# DIR: the path that a slot is about, in kx_path. A name may end with line breaks.
kx_path_in() {
  local more=''
  { IFS= read -r kx_path && ! IFS= read -r more; } <"$1/path" && return
  kx_path=$(cat "$1/path" && echo .) || return
  kx_path=${kx_path%??}
}

# PATH: what is there, in kx_seen, as lines that can be compared: type, mode, owner, and content or target; all below a
# directory.
kx_look() {
  local marks='' sum=''
  if [ -L "$1" ]; then
    kx_seen="l $(stat -c %u:%g -- "$1") $(readlink -- "$1")"
  elif [ -d "$1" ]; then
    kx_seen=$(kx_list_tree "$1")
  elif [ -f "$1" ]; then
    # The size first: kx_sha256 would need one more program to learn it.
    marks=$(stat -c '%s %a %u:%g' -- "$1") || return
    if [ "${marks%% *}" -lt 4000000 ] && command -v sha256sum >/dev/null; then
      sum=$(sha256sum <"$1")
    else
      sum=$(kx_sha256 "$1")
    fi && kx_seen="f ${marks#* } ${sum%% *}"
  elif [ -e "$1" ]; then
    kx_seen="o $(stat -c '%f %u:%g %t:%T' -- "$1")"
  else
    kx_seen=absent
  fi
}

# DIR: all that is in it, as lines that can be compared: marks (s), digests (h) and links (l).
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
  local m="$KX_STATE/manifest" slot=''
  [ -s "$m/cluster" ] || return 0
  cat "$m/cluster"
  cd "$m/entries" 2>/dev/null || return 0
  for slot in */[0-9]*/image; do
    if [ -e "$slot" ] || [ -L "$slot" ]; then printf 'image %s\n' "${slot%/image}"; fi
  done
  set -- */meta
  [ ! -e "$1" ] || head -v -n 1 "$@"
  set -- */[0-9]*/path
  [ ! -e "$1" ] || head -v -c 8192 "$@"
}

# Whose machine this is: "UID NAME", or nothing.
kx_manifest_owner() {
  local m="$KX_STATE/manifest"
  [ ! -s "$m/cluster" ] || cat "$m/cluster"
}
