# shellcheck shell=dash
# Undoing entries of the manifest. Every function may be killed at any point and called again: an entry goes only when
# everything of it is back, and what is as it was before or as we left it is never taken for somebody else's.

# N: whether the entry is there, and which of its paths somebody else has changed.
kx_reset_look() {
  kx_manifest
  [ -d "$kx_m/entries/$1" ] || return 0
  echo there
  for kx_slot in "$kx_m/entries/$1"/[0-9]*; do
    [ -d "$kx_slot" ] && kx_path_in "$kx_slot" || continue
    kx_theirs
    [ -z "$kx_lines" ] || printf 'changed %s\n' "$kx_path"
  done
}

# What at kx_path is neither as we left it (in kx_slot) nor as it was before, in kx_lines: "." for all of it, or names in
# its tree.
kx_theirs() {
  kx_lines=.
  kx_look "$kx_path" || return 0
  kx_now=$kx_seen kx_left='' kx_was=absent kx_lines=
  [ "$kx_now" != absent ] || return 0
  if [ -s "$kx_slot/after" ]; then kx_read "$kx_slot/after" && kx_left=$kx_text; fi
  [ "$kx_now" != "$kx_left" ] || return 0
  if [ -s "$kx_slot/pending" ] && kx_is_recent; then return 0; fi
  if [ -s "$kx_slot/was" ] || [ -e "$kx_slot/image" ] || [ -L "$kx_slot/image" ]; then kx_was_in "$kx_slot"; fi
  [ "$kx_now" != "$kx_was" ] || return 0
  # A list has a line for each name: one of several lines cannot be distinguished from others.
  if [ -d "$kx_path" ] && [ ! -L "$kx_path" ] && [ -z "$(find "$kx_path" -name '*
*')" ] && printf '%s\n' "$kx_left" "$kx_was" | grep -q '^s 4[0-9a-f]* [0-9]* [0-9]* \.$'; then
    kx_lines=$(printf '%s\n' "$kx_left" "$kx_was" = "$kx_now" | kx_new_names | kx_only_things)
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

# Directories are no things of their own, unless there is nothing in them.
kx_only_things() {
  while IFS= read -r kx_x; do
    if [ -d "$kx_path/$kx_x" ] && [ ! -L "$kx_path/$kx_x" ] && [ -n "$(ls -A "$kx_path/$kx_x")" ]; then continue; fi
    printf '%s\n' "$kx_x"
  done
}

# A change of ours that was cut off: what is there is its work if that had begun, and if it is neither older than that nor
# newer than it can have been. A change that never began, or of a boot that is over, has left nothing behind since.
kx_is_recent() {
  [ -e "$kx_slot/begun" ] && read -r kx_x kx_y <"$kx_slot/pending" || return
  kx_from=$(stat -c %Y -- "$kx_slot/begun") || return
  kx_until=$((kx_from + kx_x))
  kx_boot
  if [ -n "$kx_y" ] && [ "$kx_y" != "$kx_boot" ]; then
    kx_uptime
    kx_x=$(($(date +%s) - kx_up))
    [ "$kx_until" -le "$kx_x" ] || kx_until=$kx_x
  fi
  kx_y=$(find "$kx_path" -exec stat -c %Z -- {} + | sort -n | tail -n 1)
  [ "${kx_y:-0}" -ge "$kx_from" ] && [ "$kx_y" -le "$kx_until" ]
}

# N: keeps what somebody else has changed at the entry's paths, beside them. The file "kept" tells path and name of each.
kx_reset_keep() {
  kx_manifest
  for kx_slot in "$kx_m/entries/$1"/[0-9]*; do
    [ -d "$kx_slot" ] && kx_path_in "$kx_slot" || continue
    kx_theirs
    [ -n "$kx_lines" ] || continue
    kx_kept_name || return
    if [ ! -e "$kx_kept" ] && [ ! -L "$kx_kept" ]; then kx_keep || return; fi
    printf '%s\n%s\n' "$kx_path" "$kx_kept" >>"$kx_m/kept" || return
  done
}

# A name beside kx_path that nothing has, in kx_kept.
kx_beside_name() {
  kx_y=$kx_path.kubexm-kept-$(date +%Y%m%d)
  kx_kept=$kx_y kx_x=1
  while [ -e "$kx_kept" ] || [ -L "$kx_kept" ]; do kx_x=$((kx_x + 1)) kx_kept=$kx_y-$kx_x; done
}

# Where it is kept, in kx_kept: the same name however often this is done.
kx_kept_name() {
  if [ ! -s "$kx_slot/kept" ]; then
    kx_beside_name
    printf '%s\n' "$kx_kept" >"$kx_slot/kept.new" && sync -- "$kx_slot/kept.new" 2>/dev/null
    mv -fT "$kx_slot/kept.new" "$kx_slot/kept" || return
  fi
  kx_kept=$(cat "$kx_slot/kept" && echo .) && kx_kept=${kx_kept%??}
}

# kx_lines of kx_path become kx_kept.
kx_keep() {
  kx_scratch "$kx_kept" ".${kx_kept##*/}.kxnew" && rm -rf -- "$kx_tmp" || return
  if [ "$kx_lines" = . ]; then
    cp -a -- "$kx_path" "$kx_tmp" || return
  else
    mkdir -- "$kx_tmp" && cd -- "$kx_path" || return
    printf '%s\n' "$kx_lines" | while IFS= read -r kx_rel; do
      [ ! -e "$kx_tmp/$kx_rel" ] && [ ! -L "$kx_tmp/$kx_rel" ] || continue
      cp -a --parents -- "$kx_rel" "$kx_tmp" || exit
    done || return
    cd /
  fi
  kx_sync 1 "$kx_tmp" && kx_rename "$kx_tmp" "$kx_to" && kx_scratch_end
}

# TEXT: notes something that stays as it is, to be reported in the end.
kx_reset_left() {
  kx_manifest
  grep -qsxF -e "$1" "$kx_m/left" || printf '%s\n' "$1" >>"$kx_m/left"
}

# What was kept, as path and name, then a line "--", then what stays.
kx_reset_told() {
  kx_manifest
  [ ! -s "$kx_m/kept" ] || cat "$kx_m/kept"
  echo --
  [ ! -s "$kx_m/left" ] || cat "$kx_m/left"
}

# N: takes away what others made because of the change and what was not there before it.
kx_reset_effects() {
  kx_manifest
  kx_failed=
  for kx_type in units cgroups mounts namespaces ports virtual-servers address links routes cni-chains iptables-chains nft-tables shared-table ipsets path paths directory user group mode sysctl; do
    # What was removed before them shows whose these are: if anything of it is left, they wait for the next time.
    if [ -n "$kx_failed" ]; then case $kx_type in links | shared-table) continue ;; esac fi
    for kx_file in "$kx_m/entries/$1"/e.*; do
      [ -s "$kx_file" ] || continue
      read -r kx_effect <"$kx_file"
      [ "${kx_effect%% *}" = "$kx_type" ] || continue
      case $kx_type in mode | sysctl)
        kx_was=
        { read -r kx_x && IFS= read -r kx_was; } <"$kx_file"
        if [ -n "$kx_was" ] && [ "$kx_was" != "$(kx_effect_look "$kx_effect")" ]; then
          kx_effect_restore "$kx_type" "$kx_was" || kx_failed=1
        fi
        continue
        ;;
      esac
      kx_now=$(kx_effect_look "$kx_effect")
      [ -n "$kx_now" ] || continue
      printf '%s\n' "$kx_now" | grep -vxF -f "$kx_file" >"$kx_file.now"
      while IFS= read -r kx_gone; do
        case $kx_type in
          path | paths | cni-chains | shared-table | virtual-servers)
            kx_why=$(kx_effect_stays "$kx_effect" "$kx_gone")
            if [ -n "$kx_why" ]; then
              # What could not be taken away may be why: it is tried again, and reported only then.
              [ -n "$kx_failed" ] || kx_reset_left "$kx_why" || return
              # A directory stays with all that is in it.
              [ "$kx_effect" != "path $kx_gone" ] || break
              continue
            fi
            ;;
        esac
        case $kx_type in path | paths) kx_reset_spare || return ;; esac
        kx_effect_remove "$kx_type" "$kx_gone" || kx_failed=1
        if [ "$kx_effect" = "directory $kx_gone" ] && [ -d "$kx_gone" ]; then
          kx_reset_left "$kx_gone stays: what is in it is not the cluster's" || return
        fi
      done <"$kx_file.now"
      rm -f "$kx_file.now"
    done
  done
  [ -z "$kx_failed" ]
}

# A directory kx_gone goes as a whole: what somebody else has changed in files of ours in it is kept beside it, for the
# entries of those files come later.
kx_reset_spare() {
  for kx_slot in "$kx_m"/entries/*/[0-9]*; do
    [ -d "$kx_slot" ] && kx_path_in "$kx_slot" || continue
    kx_rel=${kx_path#"$kx_gone"/}
    [ "$kx_rel" != "$kx_path" ] || continue
    kx_theirs
    [ -n "$kx_lines" ] || continue
    kx_kept=$kx_gone.kubexm-kept-$(date +%Y%m%d)
    mkdir -p -- "$kx_kept" && (cd -- "$kx_gone" && cp -a --parents -- "./$kx_rel" "$kx_kept") || return
    kx_sync 1 "$kx_kept"
    printf '%s\n%s\n' "$kx_path" "$kx_kept/$kx_rel" >>"$kx_m/kept" || return
  done
}

# N [LEAVE]: puts the entry's paths back, the last one first. LEAVE: one that cannot be put back is noted and stays.
kx_reset_paths() {
  kx_manifest
  kx_slots=
  for kx_slot in "$kx_m/entries/$1"/[0-9]*; do kx_slots="${kx_slot##*/} $kx_slots"; done
  for kx_x in $kx_slots; do
    kx_slot=$kx_m/entries/$1/$kx_x
    [ -d "$kx_slot" ] && kx_path_in "$kx_slot" || continue
    if [ -z "$2" ]; then
      kx_reset_path || {
        echo "cannot put $kx_path back" >&2
        return 1
      }
    elif ! kx_why=$(kx_reset_path 2>&1); then
      kx_why=${kx_why##*
}
      kx_reset_left "$kx_path stays: ${kx_why:-it cannot be put back}" || return
    fi
  done
}

kx_reset_path() {
  kx_reset_litter || return
  if [ ! -e "$kx_slot/image" ] && [ ! -L "$kx_slot/image" ]; then
    [ -e "$kx_path" ] || [ -L "$kx_path" ] || return 0
    if [ -d "$kx_path" ] && [ ! -L "$kx_path" ]; then kx_may_go "$kx_path" || return; fi
    rm -rf -- "$kx_path"
    return
  fi
  kx_was_in "$kx_slot" && kx_look "$kx_path" || return
  [ "$kx_was" != "$kx_seen" ] || return 0
  kx_put_back "$kx_slot/image" "$kx_path" || return
  if [ -d "$kx_path" ] && [ ! -L "$kx_path" ]; then kx_sync 1 "$kx_path"; else kx_sync 1 "${kx_path%/*}/"; fi
}

# Unfinished files beside kx_path that writers of ours left when they were killed.
kx_reset_litter() {
  kx_dir=${kx_path%/*} kx_name=${kx_path##*/} kx_id=
  for kx_y in "$kx_dir/.$kx_name".kx* "$kx_dir/.$kx_name".????????????????.part; do
    [ ! -e "$kx_y" ] && [ ! -L "$kx_y" ] || rm -rf -- "$kx_y" || return
  done
  for kx_y in "$kx_dir"/.kubexm-*; do
    [ -e "$kx_y" ] || [ -L "$kx_y" ] || continue
    [ -n "$kx_id" ] || kx_id=$(printf %s "$kx_path" | { sha256sum 2>/dev/null || openssl dgst -sha256 -r; }) || return
    case $kx_y in "$kx_dir/.kubexm-${kx_id%"${kx_id#????????????????}"}"*) rm -rf -- "$kx_y" || return ;; esac
  done
  case $kx_name in .kubexm-*) rm -rf -- "$kx_path.new" ;; esac
}

# N: the entry is no more.
kx_reset_drop() {
  kx_manifest
  kx_gone=$kx_m/gone.$1
  if [ -d "$kx_m/entries/$1" ]; then
    [ ! -e "$kx_gone" ] || rm -rf "$kx_gone" || return
    mv -T "$kx_m/entries/$1" "$kx_gone" || return
  fi
  # Names first: the list of them is in what goes last.
  set --
  if [ -s "$kx_gone/ids" ]; then
    while IFS=: read -r kx_id kx_x; do
      [ -e "$kx_m/names/$kx_id" ] || set -- "$@" "$kx_m/names/$kx_id"
      [ "$#" -lt 100 ] || { rm -f "$@" && set -- || return; }
    done <"$kx_gone/ids"
  fi
  rm -rf "$@" "$kx_gone"
}

# Whether anything of kubexm but living shells, jobs and the lock is on this machine: "state", "entries", "jobs".
kx_reset_rest() {
  kx_manifest
  [ ! -e "$KX_STATE" ] || echo state
  for kx_x in "$kx_m"/entries/[0-9]*; do if [ -d "$kx_x" ]; then
    echo entries
    break
  fi; done
  for kx_dir in "$KX_RUN"/jobs/*; do if [ -d "$kx_dir" ]; then
    echo jobs
    break
  fi; done
}

# UID UNIT…: the manifest is empty: nothing of kubexm stays. Where there are UNITs, systemd has to read its units again, and
# forgets that these failed.
kx_reset_end() {
  kx_manifest
  kx_uid=$1
  shift
  for kx_x in "$kx_m"/entries/[0-9]*; do
    [ ! -d "$kx_x" ] || {
      echo "${kx_x##*/} is not undone yet" >&2
      return 1
    }
  done
  if [ -s "$kx_m/cluster" ]; then kx_claim "$kx_uid" - || return; fi
  if [ -n "$1" ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload || return
    # One by one: most are gone by now, and a unit that is gone has not failed.
    for kx_x; do systemctl reset-failed -- "$kx_x" 2>/dev/null; done
  fi
  for kx_dir in "$KX_RUN"/jobs/*; do
    [ ! -d "$kx_dir" ] || kx_job_forget "${kx_dir##*/}" || return
  done
  # A job whose start was cut off has no name yet, but a script, which may hold secrets.
  [ ! -d "$KX_RUN/jobs" ] || rm -rf "$KX_RUN"/jobs/.[!.]* || return
  # Whose it is goes last: until then it can be called again. The run's own directory may lie below.
  for kx_x in "$KX_STATE"/* "$KX_STATE"/.[!.]*; do
    case $kx_x in "$kx_m" | "$KX_RUN") ;; *) rm -rf "$kx_x" || return ;; esac
  done
  rm -rf "$kx_m"/[!c]* && rm -rf "$kx_m" || return
  rmdir "$KX_STATE" 2>/dev/null
  return 0
}
