# shellcheck shell=dash
# Before-images. A record lives in `$KX_STATE/undo/KEY`: for every path a numbered directory with `path` and, when there
# was something, `image`. It gets its name only when it is complete and on disk; the first one of a key wins.

# KEY PATH…: remembers what is at the paths. A key that has a record keeps it.
kx_save() {
  kx_stage "$@" || return
  [ -n "$kx_staged" ] || return 0
  kx_sync "$kx_tree" "$kx_staged" && mv -T "$kx_staged" "$kx_record" && kx_sync_dirs "$kx_record" && kx_staged=''
}

# KEY PATH…: the same, but the record has no name yet and need not be on disk: it is kx_staged, unless the key has one. The name it will have is in
# kx_record; kx_tree is not empty if it has directories.
kx_stage() {
  local count=0 new='' image='' path=''
  kx_record=$KX_STATE/undo/$1 kx_staged='' kx_tree=''
  shift
  [ ! -d "$kx_record" ] || return 0
  new=$kx_record.new$$
  [ ! -e "$new" ] || rm -rf "$new" || return
  for path; do
    count=$((count + 1))
    image=$new/$count
    mkdir -p "$image" && printf '%s\n' "$path" >"$image/path" && kx_trace "$path" >"$image/seen" || return
    if [ -e "$path" ] || [ -L "$path" ]; then
      cp -a -- "$path" "$image/image" || {
        rm -rf "$new"
        return 1
      }
      [ ! -d "$path" ] || [ -L "$path" ] || kx_tree=1
    fi
  done
  [ "$count" -gt 0 ] || mkdir -p "$new" || return
  kx_staged=$new
}

# TREE DIR…: everything below them is on disk. Single files one by one; where there are many of them, or a TREE, the whole
# file system.
kx_sync() {
  local dir='' count=0 of='' one=''
  if [ -z "$1" ]; then
    shift
    dir=$1
    for of; do
      shift
      for one in "$of" "$of"/* "$of"/*/*; do
        if [ -L "$one" ] || { [ ! -f "$one" ] && [ ! -d "$one" ]; }; then continue; fi
        count=$((count + 1))
        [ "$count" -le 300 ] || break 2
        set -- "$@" "$one"
      done
    done
    [ "$count" -gt 300 ] || { sync -- "$@" 2>/dev/null && return; }
    set -- 1 "$dir"
  fi
  sync -f "$2" 2>/dev/null || sync
}

# PATH [DIR…]: the directories above it, up to ours, remember its name; and the others theirs.
kx_sync_dirs() {
  local up_to="${KX_STATE%/*}" dir="$1"
  shift
  while [ "$dir" != "$up_to" ] && [ -n "$dir" ]; do
    dir=${dir%/*}
    set -- "$@" "${dir:-/}"
  done
  sync -- "$@" 2>/dev/null || sync
}

# KEY: puts every path back as it was. The record stays. What somebody else has made of a path since is kept beside it.
# 96: there is no record, and so nothing was put back. Any other failure is 1.
kx_restore() {
  local record="$KX_STATE/undo/$1" image=''
  if [ ! -d "$record" ]; then
    echo "no before-image $1" >&2
    return 96
  fi
  for image in "$record"/*; do
    [ -d "$image" ] || continue
    kx_path_in "$image" && kx_spare "$image" "$kx_path" || return 1
    kx_put_back "$image/image" "$kx_path" || return 1
  done
}

# IMAGE PATH: copies what is at the path aside if it is neither as we left it nor as it was; says where to, also what was kept before.
kx_spare() {
  local image="$1" path="$2" now='' kept=''
  [ ! -s "$image/kept" ] || kx_spared "$path" "$(cat "$image/kept")"
  [ -e "$path" ] || [ -L "$path" ] || return 0
  if [ -s "$image/left" ]; then
    kx_look "$path" && kx_read "$image/left" || return
    [ "$kx_seen" != "$kx_text" ] || return 0
  else
    # Cut off before anybody could note what it left.
    [ -s "$image/pending" ] && ! kx_is_recent "$path" "$image" && kx_look "$path" || return 0
  fi
  now=$kx_seen
  kx_look "$image/image" || return
  [ "$now" != "$kx_seen" ] || return 0
  kept=$path.kubexm-kept
  [ ! -e "$kept" ] && [ ! -L "$kept" ] || kept=$kept-$(date +%Y%m%d%H%M%S)
  kx_copy "$path" "$kept" && kx_spared "$path" "$kept"
}

# PATH KEPT: says that it was kept.
kx_spared() { kx_report left "$1 was changed by somebody else since: what they made of it stays as $2"; }

# IMAGE PATH: one path. A file or link is replaced in one step, a directory in two renames.
kx_put_back() {
  if [ -d "$2" ] && [ ! -L "$2" ] && [ -n "$(kx_mounts_below "$(cd -P -- "$2" && pwd -P)")" ]; then
    echo "something is mounted on or below $2: unmount it, then try again" >&2
    return 1
  fi
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then
    rm -rf -- "$2"
    return
  fi
  case $2 in */*) [ -d "${2%/*}/" ] || mkdir -p -- "${2%/*}" || return ;; esac
  # Always the same name: what a killed one left behind is taken away by the next.
  kx_scratch "$2" ".${2##*/}.kxback" || return
  rm -rf -- "$kx_tmp" "$kx_tmp.old"
  cp -a -- "$1" "$kx_tmp" || {
    rm -rf -- "$kx_tmp"
    kx_scratch_end
    return 1
  }
  if [ -d "$kx_to" ] && [ ! -L "$kx_to" ]; then
    mv -T -- "$kx_to" "$kx_tmp.old" || return
  elif [ -d "$kx_tmp" ] && [ ! -L "$kx_tmp" ]; then
    rm -f -- "$kx_to" || return
  fi
  kx_rename "$kx_tmp" "$kx_to" && rm -rf -- "$kx_tmp.old" && kx_scratch_end
}

# PREFIX: forgets the record PREFIX, or all records below it, and leaves no empty directory behind.
kx_undo_drop() {
  [ -n "$1" ] || return 1
  rm -rf "$KX_STATE/undo/$1" || return
  case $1 in */*) kx_rmdir "$KX_STATE/undo/${1%%/*}" ;; esac
  kx_rmdir "$KX_STATE/undo" && kx_rmdir "$KX_STATE"
  return 0
}

# Runs that have records here, and how many days ago they last changed: "RUN DAYS".
kx_undo_runs() {
  local dir='' time=''
  for dir in "$KX_STATE"/undo/*; do
    [ -d "$dir" ] && time=$(stat -c %Y -- "$dir") || continue
    printf '%s %s\n' "${dir##*/}" $((($(date +%s) - time) / 86400))
  done
}

# RUN…: forgets the records of runs that are over; not of one that holds the lock, or that has a job here.
kx_undo_prune() {
  local run='' dir=''
  kx_lock_read
  for run; do
    [ -n "$run" ] && [ "$run" != "$kx_o_run" ] || continue
    for dir in "$KX_RUN/jobs/$run".*; do [ ! -d "$dir" ] || continue 2; done
    kx_undo_drop "$run" || return
  done
}
