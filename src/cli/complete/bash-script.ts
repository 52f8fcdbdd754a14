/**
 * Completion for bash. It speaks the same protocol as the scripts for the other shells, but needs nothing installed, can be
 * sourced again, evaluates nothing that was typed, and completes behind `=` and `:`, at which bash breaks words.
 */
export const bashScript = String.raw`# bash completion for kubexm

__kubexm_complete() {
    local -a words=()
    local i piece joined=0 value text out directive match strip
    for ((i = 1; i <= COMP_CWORD; i++)); do
        piece=${'$'}{COMP_WORDS[i]}
        piece=${'$'}{piece//[\"\']/}
        if ((joined || i > 1 && $(__kubexm_is_break "$piece"))); then
            words[${'$'}{#words[@]} - 1]+=$piece
        else
            words+=("$piece")
        fi
        joined=$(__kubexm_is_break "$piece")
    done

    out=$(kubexm complete -- "${'$'}{words[@]}" 2>/dev/null) || return
    directive=${'$'}{out##*:}
    out=${'$'}{out%:*}
    match=${'$'}{words[${'$'}{#words[@]} - 1]}
    [[ $match == -*=* ]] && match=${'$'}{match#*=}
    strip=
    [[ $match == *:* && $COMP_WORDBREAKS == *:* ]] && strip=${'$'}{match%"${'$'}{match##*:}"}

    COMPREPLY=()
    while IFS=$'\t' read -r value text; do
        [[ -n $value && $value == "$match"* ]] && COMPREPLY+=("${'$'}{value#"$strip"}")
    done <<<"$out"
    ((directive & 2)) && compopt -o nospace
    ((directive & 4)) || compopt -o default
    return 0
}

__kubexm_is_break() {
    [[ $1 == [=:] ]] && echo 1 || echo 0
}

complete -F __kubexm_complete kubexm
`;
