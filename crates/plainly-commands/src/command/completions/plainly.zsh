#compdef plainly
# Completes plainly in zsh.
_plainly() {
    local tab=$'\t' fields value about
    local -a values begun lines begunlines
    # Not split by read, which drops empty fields between tabs: the word may be empty.
    while IFS= read -r fields; do
        fields=${fields#*"$tab"}
        value=${fields%%"$tab"*}
        about=${fields#*"$tab"}
        case $value in
            *[=/]) begun+=("$value") begunlines+=("$value${about:+  -- $about}") ;;
            *) values+=("$value") lines+=("$value${about:+  -- $about}") ;;
        esac
    done < <(plainly candidates -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)
    local result=1
    (( $#values )) && compadd -l -d lines -a values && result=0
    (( $#begun )) && compadd -S '' -l -d begunlines -a begun && result=0
    return result
}
if [[ $funcstack[1] == _plainly ]]; then
    _plainly "$@"
else
    compdef _plainly plainly
fi
