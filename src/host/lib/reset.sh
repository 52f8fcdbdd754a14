# shellcheck shell=dash
# Undoing entries of the manifest. Every function may be killed at any point and called again: an entry goes only when
# everything of it is back, and what is as it was before or as we left it is never taken for somebody else's.

# N: whether the entry is there, and which of its paths somebody else has changed.
kx_reset_look() {
  local m="$KX_STATE/manifest" slot=''
  [ -d "$m/entries/$1" ] || return 0
  echo there
  for slot in "$m/entries/$1"/[0-9]*; do
    [ -d "$slot" ] && kx_path_in "$slot" || continue
    kx_theirs "$kx_path" "$slot"
    [ -z "$kx_lines" ] || printf 'changed %s\n' "$kx_path"
  done
}

# PATH SLOT: what is there and is neither as we left it nor as it was before, as the slot knows, in kx_lines: "." for all of
# it, or names in its tree.
kx_theirs() {
  local path="$1" slot="$2" now='' left=''
  kx_lines=.
  kx_look "$path" || return 0
  now=$kx_seen kx_was=absent kx_lines=''
  [ "$now" != absent ] || return 0
  if [ -s "$slot/after" ]; then kx_read "$slot/after" && left=$kx_text; fi
  [ "$now" != "$left" ] || return 0
  if [ -s "$slot/pending" ] && kx_is_recent "$path" "$slot"; then return 0; fi
  if [ -s "$slot/was" ] || [ -e "$slot/image" ] || [ -L "$slot/image" ]; then kx_was_in "$slot"; fi
  [ "$now" != "$kx_was" ] || return 0
  # A list has a line for each name: one of several lines cannot be distinguished from others.
  if [ -d "$path" ] && [ ! -L "$path" ] && [ -z "$(find "$path" -name '*
*')" ] && printf '%s\n' "$left" "$kx_was" | grep -q '^s 4[0-9a-f]* [0-9]* [0-9]* \.$'; then
    kx_lines=$(printf '%s\n' "$left" "$kx_was" = "$now" | kx_new_names | kx_only_things "$path")
  else
    kx_lines=.
  fi
}

# DIR: what its image is, in kx_was.
kx_was_in() {
  if [ -s "$1/was" ]; then kx_read "$1/was" && kx_was=$kx_text; else kx_look "$1/image" && kx_was=$kx_seen; fi
}

# Lists of a tree as it was known, a line "=", and as it is now: the names of what is new or different. Names are taken
# from their own lines (s): digests escape them, and those of links may hold an arrow themselves.
kx_new_names() {
  awk '
    function changed(name) { if (!(name in is)) { is[name] = 1; order[++n] = name } }
    function plain(name) { gsub(/\\\\/, "\001", name); gsub(/\\r/, "\r", name); gsub("\001", "\\", name); return name }
    $0 == "=" && !now { now = 1; next }
    !now { known[$0] = 1; next }
    /^s / { name = $0; sub(/^s [0-9a-f]+ [0-9]+ [0-9]+ /, "", name); there[name] = 1; if (!($0 in known)) changed(name); next }
    ($0 in known) { next }
    /^h \\/ { changed(plain(substr($0, index($0, "  ") + 2))); next }
    /^h / { changed(substr($0, index($0, "  ") + 2)); next }
    /^l / { links[++l] = substr($0, 3) }
    END {
      for (i = 1; i <= l; i++) {
        name = ""; rest = links[i]
        while ((at = index(rest, " -> ")) > 0) {
          name = name substr(rest, 1, at - 1)
          if (name in there) changed(name)
          name = name " -> "; rest = substr(rest, at + 4)
        }
      }
      for (i = 1; i <= n; i++) print order[i]
    }'
}

# PATH: of names below it those that are things. Directories are no things of their own, unless there is nothing in them.
kx_only_things() {
  local name=''
  while IFS= read -r name; do
    if [ -d "$1/$name" ] && [ ! -L "$1/$name" ] && [ -n "$(ls -A "$1/$name")" ]; then continue; fi
    printf '%s\n' "$name"
  done
}

# PATH SLOT: whether a change of ours was cut off there: what is there is its work if that had begun, and if it is neither older than that nor
# newer than it can have been. A change that never began, or of a boot that is over, has left nothing behind since.
kx_is_recent() {
  local seconds='' boot='' from='' end='' now='' last=''
  [ -e "$2/begun" ] && read -r seconds boot <"$2/pending" || return
  from=$(stat -c %Y -- "$2/begun") || return
  end=$((from + seconds))
  kx_boot
  if [ -n "$boot" ] && [ "$boot" != "$kx_boot" ]; then
    kx_uptime
    now=$(($(date +%s) - kx_up))
    [ "$end" -le "$now" ] || end=$now
  fi
  last=$(find "$1" -exec stat -c %Z -- {} + | sort -n | tail -n 1)
  [ "${last:-0}" -ge "$from" ] && [ "$last" -le "$end" ]
}

# N: keeps what somebody else has changed at the entry's paths, beside them. The file "kept" tells path and name of each.
kx_reset_keep() {
  local m="$KX_STATE/manifest" slot=''
  for slot in "$m/entries/$1"/[0-9]*; do
    [ -d "$slot" ] && kx_path_in "$slot" || continue
    kx_theirs "$kx_path" "$slot"
    [ -n "$kx_lines" ] || continue
    kx_kept_name "$kx_path" "$slot" || return
    if [ ! -e "$kx_kept" ] && [ ! -L "$kx_kept" ]; then kx_keep "$kx_path" "$kx_kept" "$kx_lines" || return; fi
    printf '%s\n%s\n' "$kx_path" "$kx_kept" >>"$m/kept" || return
  done
}

# PATH: a name beside it that nothing has, in kx_kept.
kx_beside_name() {
  local name='' n=1
  name=$1.kubexm-kept-$(date +%Y%m%d)
  kx_kept=$name
  while [ -e "$kx_kept" ] || [ -L "$kx_kept" ]; do n=$((n + 1)) kx_kept=$name-$n; done
}

# PATH SLOT: where it is kept, in kx_kept: the same name however often this is done.
kx_kept_name() {
  if [ ! -s "$2/kept" ]; then
    kx_beside_name "$1"
    printf '%s\n' "$kx_kept" >"$2/kept.new" && sync -- "$2/kept.new" 2>/dev/null
    mv -fT "$2/kept.new" "$2/kept" || return
  fi
  kx_kept=$(cat "$2/kept" && echo .) && kx_kept=${kx_kept%??}
}

# PATH KEPT LINES: what LINES name of the path becomes KEPT.
kx_keep() {
  local rel=''
  kx_scratch "$2" ".${2##*/}.kxnew" && rm -rf -- "$kx_tmp" || return
  if [ "$3" = . ]; then
    cp -a -- "$1" "$kx_tmp" || return
  else
    mkdir -- "$kx_tmp" && cd -- "$1" || return
    printf '%s\n' "$3" | while IFS= read -r rel; do
      [ ! -e "$kx_tmp/$rel" ] && [ ! -L "$kx_tmp/$rel" ] || continue
      cp -a --parents -- "$rel" "$kx_tmp" || exit
    done || return
    cd /
  fi
  kx_sync 1 "$kx_tmp" && kx_rename "$kx_tmp" "$kx_to" && kx_scratch_end
}

# TEXT: notes something that stays as it is, to be reported in the end.
kx_reset_left() {
  local m="$KX_STATE/manifest"
  grep -qsxF -e "$1" "$m/left" || printf '%s\n' "$1" >>"$m/left"
}

# What was kept, as path and name, then a line "--", then what stays.
kx_reset_told() {
  local m="$KX_STATE/manifest"
  [ ! -s "$m/kept" ] || cat "$m/kept"
  echo --
  [ ! -s "$m/left" ] || cat "$m/left"
}

# N: takes away what others made because of the change and what was not there before it.
kx_reset_effects() {
  local m="$KX_STATE/manifest" failed='' type='' file='' effect='' was='' now='' why='' gone=''
  for type in units cgroups mounts namespaces ports virtual-servers address links routes cni-chains iptables-chains nft-tables shared-table ipsets path paths directory user group mode sysctl; do
    # What was removed before them shows whose these are: if anything of it is left, they wait for the next time.
    case $failed$type in 1links | 1shared-table) continue ;; esac
    for file in "$m/entries/$1"/e.*; do
      [ -s "$file" ] || continue
      read -r effect <"$file"
      [ "${effect%% *}" = "$type" ] || continue
      case $type in mode | sysctl)
        was=''
        { read -r was && IFS= read -r was; } <"$file"
        if [ -n "$was" ] && [ "$was" != "$(kx_effect_look "$effect")" ]; then
          kx_effect_restore "$type" "$was" || failed=1
        fi
        continue
        ;;
      esac
      now=$(kx_effect_look "$effect")
      [ -n "$now" ] || continue
      printf '%s\n' "$now" | grep -vxF -f "$file" >"$file.now"
      while IFS= read -r gone; do
        case $type in
          path | paths | cni-chains | shared-table | virtual-servers)
            why=$(kx_effect_stays "$effect" "$gone")
            if [ -n "$why" ]; then
              # What could not be taken away may be why: it is tried again, and reported only then.
              [ -n "$failed" ] || kx_reset_left "$why" || return
              # A directory stays with all that is in it.
              [ "$effect" != "path $gone" ] || break
              continue
            fi
            ;;
        esac
        case $type in path | paths) kx_reset_spare "$gone" || return ;; esac
        kx_effect_remove "$type" "$gone" || failed=1
        if [ "$effect" = "directory $gone" ] && [ -d "$gone" ]; then
          kx_reset_left "$gone stays: what is in it is not the cluster's" || return
        fi
      done <"$file.now"
      rm -f "$file.now"
    done
  done
  [ -z "$failed" ]
}

# DIR: it goes as a whole: what somebody else has changed in files of ours in it is kept beside it, for the
# entries of those files come later.
kx_reset_spare() {
  local m="$KX_STATE/manifest" slot='' rel='' kept=''
  for slot in "$m"/entries/*/[0-9]*; do
    [ -d "$slot" ] && kx_path_in "$slot" || continue
    rel=${kx_path#"$1"/}
    [ "$rel" != "$kx_path" ] || continue
    kx_theirs "$kx_path" "$slot"
    [ -n "$kx_lines" ] || continue
    kept=$1.kubexm-kept-$(date +%Y%m%d)
    mkdir -p -- "$kept" && (cd -- "$1" && cp -a --parents -- "./$rel" "$kept") || return
    kx_sync 1 "$kept"
    printf '%s\n%s\n' "$kx_path" "$kept/$rel" >>"$m/kept" || return
  done
}

# N [LEAVE]: puts the entry's paths back, the last one first. LEAVE: one that cannot be put back is noted and stays.
kx_reset_paths() {
  local m="$KX_STATE/manifest" slots='' slot='' one='' why=''
  for slot in "$m/entries/$1"/[0-9]*; do slots="${slot##*/} $slots"; done
  for one in $slots; do
    slot=$m/entries/$1/$one
    [ -d "$slot" ] && kx_path_in "$slot" || continue
    if [ -z "$2" ]; then
      kx_reset_path "$kx_path" "$slot" || {
        echo "cannot put $kx_path back" >&2
        return 1
      }
    elif ! why=$(kx_reset_path "$kx_path" "$slot" 2>&1); then
      why="${why##*
}"
      kx_reset_left "$kx_path stays: ${why:-it cannot be put back}" || return
    fi
  done
}

# PATH SLOT: it is as it was before, as the slot knows.
kx_reset_path() {
  local path="$1" slot="$2"
  kx_reset_litter "$path" || return
  if [ ! -e "$slot/image" ] && [ ! -L "$slot/image" ]; then
    [ -e "$path" ] || [ -L "$path" ] || return 0
    if [ -d "$path" ] && [ ! -L "$path" ]; then kx_may_go "$path" || return; fi
    rm -rf -- "$path"
    return
  fi
  kx_was_in "$slot" && kx_look "$path" || return
  [ "$kx_was" != "$kx_seen" ] || return 0
  kx_put_back "$slot/image" "$path" || return
  if [ -d "$path" ] && [ ! -L "$path" ]; then kx_sync 1 "$path"; else kx_sync 1 "${path%/*}/"; fi
}

# PATH: removes unfinished files beside it that writers of ours left when they were killed.
kx_reset_litter() {
  local dir="${1%/*}" name="${1##*/}" id='' file=''
  for file in "$dir/.$name".kx* "$dir/.$name".????????????????.part; do
    [ ! -e "$file" ] && [ ! -L "$file" ] || rm -rf -- "$file" || return
  done
  for file in "$dir"/.kubexm-*; do
    [ -e "$file" ] || [ -L "$file" ] || continue
    [ -n "$id" ] || id=$(printf %s "$1" | { sha256sum 2>/dev/null || openssl dgst -sha256 -r; }) || return
    case $file in "$dir/.kubexm-${id%"${id#????????????????}"}"*) rm -rf -- "$file" || return ;; esac
  done
  case $name in .kubexm-*) rm -rf -- "$1.new" ;; esac
}

# N: the entry is no more.
kx_reset_drop() {
  local m="$KX_STATE/manifest" gone="$KX_STATE/manifest/gone.$1" id='' slot=''
  if [ -d "$m/entries/$1" ]; then
    [ ! -e "$gone" ] || rm -rf "$gone" || return
    mv -T "$m/entries/$1" "$gone" || return
  fi
  # Names first: the list of them is in what goes last.
  set --
  if [ -s "$gone/ids" ]; then
    while IFS=: read -r id slot; do
      [ -e "$m/names/$id" ] || set -- "$@" "$m/names/$id"
      [ "$#" -lt 100 ] || { rm -f "$@" && set -- || return; }
    done <"$gone/ids"
  fi
  rm -rf "$@" "$gone"
}

# Whether anything of kubexm but living shells, jobs and the lock is on this machine: "state", "entries", "jobs".
kx_reset_rest() {
  local m="$KX_STATE/manifest" one=''
  [ ! -e "$KX_STATE" ] || echo state
  for one in "$m"/entries/[0-9]*; do
    [ -d "$one" ] || continue
    echo entries
    break
  done
  for one in "$KX_RUN"/jobs/*; do
    [ -d "$one" ] || continue
    echo jobs
    break
  done
}

# UID UNIT…: the manifest is empty: nothing of kubexm stays. Where there are UNITs, systemd has to read its units again, and
# forgets that these failed.
kx_reset_end() {
  local m="$KX_STATE/manifest" uid="$1" one=''
  shift
  for one in "$m"/entries/[0-9]*; do
    [ ! -d "$one" ] || {
      echo "${one##*/} is not undone yet" >&2
      return 1
    }
  done
  if [ -s "$m/cluster" ]; then kx_claim "$uid" - || return; fi
  if [ -n "$1" ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload || return
    # One by one: most are gone by now, and a unit that is gone has not failed.
    for one; do systemctl reset-failed -- "$one" 2>/dev/null; done
  fi
  for one in "$KX_RUN"/jobs/*; do
    [ ! -d "$one" ] || kx_job_forget "${one##*/}" || return
  done
  # A job whose start was cut off has no name yet, but a script, which may hold secrets.
  [ ! -d "$KX_RUN/jobs" ] || rm -rf "$KX_RUN"/jobs/.[!.]* || return
  # Whose it is goes last: until then it can be called again. The run's own directory may lie below.
  for one in "$KX_STATE"/* "$KX_STATE"/.[!.]*; do
    case $one in "$m" | "$KX_RUN") ;; *) rm -rf "$one" || return ;; esac
  done
  rm -rf "$m"/[!c]* && rm -rf "$m" || return
  rmdir "$KX_STATE" 2>/dev/null
  return 0
}
