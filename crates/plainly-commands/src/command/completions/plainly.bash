# Completes plainly in bash.
_plainly() {
    local line=${COMP_LINE:0:COMP_POINT} word=${COMP_WORDS[COMP_CWORD]} tab=$'\t' fields full value
    COMPREPLY=()
    # Not split by read, which drops empty fields between tabs: the word may be empty.
    while IFS= read -r fields; do
        full=${fields%%"$tab"*}
        value=${fields#*"$tab"}
        value=${value%%"$tab"*}
        # Readline replaces only what comes after the last = or :.
        case $word in
            '=' | ':') value=${value#"$full"} ;;
            *) value=${value#"${full%"$word"}"} ;;
        esac
        COMPREPLY+=("$(printf '%q' "$value")")
    done < <(plainly candidates --line "$line" 2>/dev/null </dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]]; then
        compopt -o nospace
    fi
}
complete -F _plainly plainly
