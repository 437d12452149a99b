# Completes plainly in fish.
function __plainly_candidates
    set -l words (commandline -opc)
    plainly candidates -- $words[2..] (commandline -ct) 2>/dev/null </dev/null | string replace -r '^[^\t]*\t' ''
end
complete -c plainly -f -a '(__plainly_candidates)'
