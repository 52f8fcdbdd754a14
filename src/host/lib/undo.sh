# shellcheck shell=dash
# Before-images. A record lives in `$KX_STATE/undo/KEY`: for every path a numbered directory with `path` and, when there
# was something, `image`. It gets its name only when it is complete and on disk; the first one of a key wins.

# KEY PATH…: remembers what is at the paths. A key that has a record keeps it.
kx_save() {
  kx_stage "$@" || return
  [ -n "$kx_staged" ] || return 0
  kx_sync "$kx_tree" "$kx_staged" && mv -T "$kx_staged" "$kx_record" && kx_sync_dirs "$kx_record" && kx_staged=
}

# KEY PATH…: the same, but the record has no name yet and need not be on disk: it is kx_staged, unless the key has one.
kx_stage() {
  kx_record=$KX_STATE/undo/$1 kx_staged='' kx_tree=
  shift
  [ ! -d "$kx_record" ] || return 0
  kx_new=$kx_record.new$$
  [ ! -e "$kx_new" ] || rm -rf "$kx_new" || return
  kx_count=0
  for kx_path; do
    kx_count=$((kx_count + 1))
    kx_image=$kx_new/$kx_count
    mkdir -p "$kx_image" && printf '%s\n' "$kx_path" >"$kx_image/path" && kx_trace "$kx_path" >"$kx_image/seen" || return
    if [ -e "$kx_path" ] || [ -L "$kx_path" ]; then
      cp -a -- "$kx_path" "$kx_image/image" || {
        rm -rf "$kx_new"
        return 1
      }
      [ ! -d "$kx_path" ] || [ -L "$kx_path" ] || kx_tree=1
    fi
  done
  [ "$kx_count" -gt 0 ] || mkdir -p "$kx_new" || return
  kx_staged=$kx_new
}

# TREE DIR…: everything below them is on disk. Single files one by one; where there are many of them, or a TREE, the whole
# file system.
kx_sync() {
  if [ -z "$1" ]; then
    shift
    kx_dir=$1 kx_count=0
    for kx_y; do
      shift
      for kx_x in "$kx_y" "$kx_y"/* "$kx_y"/*/*; do
        if [ -L "$kx_x" ] || { [ ! -f "$kx_x" ] && [ ! -d "$kx_x" ]; }; then continue; fi
        kx_count=$((kx_count + 1))
        [ "$kx_count" -le 300 ] || break 2
        set -- "$@" "$kx_x"
      done
    done
    [ "$kx_count" -gt 300 ] || { sync -- "$@" 2>/dev/null && return; }
    set -- 1 "$kx_dir"
  fi
  sync -f "$2" 2>/dev/null || sync
}

# PATH [DIR…]: the directories above it, up to ours, remember its name; and the others theirs.
kx_sync_dirs() {
  kx_up_to=${KX_STATE%/*}
  kx_dir=$1
  shift
  while [ "$kx_dir" != "$kx_up_to" ] && [ -n "$kx_dir" ]; do
    kx_dir=${kx_dir%/*}
    set -- "$@" "${kx_dir:-/}"
  done
  sync -- "$@" 2>/dev/null || sync
}

# KEY: puts every path back as it was. The record stays. What somebody else has made of a path since is kept beside it.
# 96: there is no record, and so nothing was put back. Any other failure is 1.
kx_restore() {
  kx_record=$KX_STATE/undo/$1
  if [ ! -d "$kx_record" ]; then
    echo "no before-image $1" >&2
    return 96
  fi
  for kx_image in "$kx_record"/*; do
    [ -d "$kx_image" ] || continue
    kx_path_in "$kx_image" && kx_spare || return 1
    kx_put_back "$kx_image/image" "$kx_path" || return 1
  done
}

# Copies what is at kx_path aside if it is neither as we left it nor as it was; says where to, also what was kept before.
kx_spare() {
  [ ! -s "$kx_image/kept" ] || kx_spared "$(cat "$kx_image/kept")"
  [ -e "$kx_path" ] || [ -L "$kx_path" ] || return 0
  if [ -s "$kx_image/left" ]; then
    kx_look "$kx_path" && kx_read "$kx_image/left" || return
    [ "$kx_seen" != "$kx_text" ] || return 0
  else
    # Cut off before anybody could note what it left.
    kx_slot=$kx_image
    [ -s "$kx_image/pending" ] && ! kx_is_recent && kx_look "$kx_path" || return 0
  fi
  kx_now=$kx_seen
  kx_look "$kx_image/image" || return
  [ "$kx_now" != "$kx_seen" ] || return 0
  kx_kept=$kx_path.kubexm-kept
  [ ! -e "$kx_kept" ] && [ ! -L "$kx_kept" ] || kx_kept=$kx_kept-$(date +%Y%m%d%H%M%S)
  kx_copy "$kx_path" "$kx_kept" && kx_spared "$kx_kept"
}

kx_spared() { echo "$kx_path was changed by somebody else since: what they made of it stays as $1" >&2; }

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
  for kx_dir in "$KX_STATE"/undo/*; do
    [ -d "$kx_dir" ] && kx_x=$(stat -c %Y -- "$kx_dir") || continue
    printf '%s %s\n' "${kx_dir##*/}" $((($(date +%s) - kx_x) / 86400))
  done
}

# RUN…: forgets the records of runs that are over; not of one that holds the lock, or that has a job here.
kx_undo_prune() {
  kx_lock_read
  for kx_run; do
    [ -n "$kx_run" ] && [ "$kx_run" != "$kx_o_run" ] || continue
    for kx_dir in "$KX_RUN/jobs/$kx_run".*; do [ ! -d "$kx_dir" ] || continue 2; done
    kx_undo_drop "$kx_run" || return
  done
}
