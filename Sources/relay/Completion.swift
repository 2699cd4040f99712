/// `relay completion bash|zsh`: what to print.
func completion(_ arguments: Arguments) throws(StartError) -> String {
    switch arguments.operand {
    case "bash": return bashCompletion
    case "zsh": return zshCompletion
    default: throw .command("completion knows bash and zsh: name one of them")
    }
}

private let commands = Command.allCases.map(\.rawValue).joined(separator: " ")

/// As zsh quotes them; a quote in a purpose ends its string and begins another.
private let purposes = Command.allCases.map { command in
    "        '\(command.rawValue):\(command.purpose.replacing("'", with: #"'\''"#))'"
}.joined(separator: "\n")

private let bashCompletion = #"""
    # Completion of relay for bash: relay completion bash > /etc/bash_completion.d/relay

    # The hashes of the relay's subscriptions, whether or not it runs; nothing where they cannot be had.
    _relay_hashes() {
        # In braces, so that bash's own word about a missing program is silent as well.
        { timeout 2 "$@" subscriptions --json </dev/null; } 2>/dev/null |
            grep -o '"hash" *: *"[0-9a-f]*"' | grep -o '[0-9a-f]\{8,\}'
    }

    _relay() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        local commands='\#(commands)'
        local command='' argument='' word offered=() run=("${COMP_WORDS[0]}")
        local -i index
        COMPREPLY=()

        # bash cuts --env-file=FILE into three words.
        if [[ $current == '=' ]]; then current=''; fi
        if [[ $previous == '=' ]] && ((COMP_CWORD >= 2)); then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
        if [[ $previous == --env-file ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
        fi

        for ((index = 1; index < COMP_CWORD; index++)); do
            word=${COMP_WORDS[index]}
            case $word in
                --env-file)
                    index+=1
                    if [[ ${COMP_WORDS[index]} == '=' ]]; then index+=1; fi
                    word=${COMP_WORDS[index]}
                    # A tilde that the shell has not turned into a folder yet.
                    run+=(--env-file "${word/#\~\//$HOME/}")
                    ;;
                -*) ;;
                *) if [[ $command ]]; then argument=$word; else command=$word; fi ;;
            esac
        done

        if [[ $current == -* ]]; then
            case $command in
                check) offered=(--env-file --offline --json) ;;
                subscriptions) offered=(--env-file --json) ;;
                completion) ;;
                '') offered=(--env-file --help --version) ;;
                *) offered=(--env-file) ;;
            esac
            mapfile -t COMPREPLY < <(compgen -W "${offered[*]}" -- "$current")
            return
        fi
        if [[ $argument ]]; then return; fi
        case $command in
            '') mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current") ;;
            backup | restore)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
                ;;
            send | remove) mapfile -t COMPREPLY < <(compgen -W "$(_relay_hashes "${run[@]}")" -- "$current") ;;
            completion) mapfile -t COMPREPLY < <(compgen -W 'bash zsh' -- "$current") ;;
        esac
    }

    complete -F _relay relay
    """#

private let zshCompletion = #"""
    #compdef relay
    # Completion of relay for zsh: relay completion zsh > /usr/local/share/zsh/site-functions/_relay

    # The hashes of the relay's subscriptions, whether or not it runs; nothing where they cannot be had.
    _relay_hashes() {
        local -a run hashes
        # As it was typed, before the command or behind it: quotes, twice, and a tilde are still in it.
        local file=${(Q)${(Q)${opt_args[--env-file]:-$given}}}
        run=(relay)
        if [[ $file ]]; then run+=(--env-file ${file/#\~\//$HOME/}); fi
        hashes=(${(f)"$(timeout 2 $run subscriptions --json </dev/null 2>/dev/null |
            grep -o '"hash" *: *"[0-9a-f]*"' | grep -o '[0-9a-f]\{8,\}')"})
        if (($#hashes)); then compadd -a hashes; else _message 'eight digits or more from relay subscriptions'; fi
    }

    _relay() {
        local curcontext=$curcontext state
        local -a line commands
        local -A opt_args
        commands=(
    \#(purposes)
        )
        local -a file=('--env-file=[read NAME=value lines from a file]:file:_files')

        _arguments -C -A "-*" $file '(- *)'{-h,--help}'[print the help]' '(- *)--version[print the version]' \
            '1:command:->command' '*::argument:->argument' && return
        case $state in
            command) _describe -t commands command commands ;;
            argument)
                # Behind *:: the words are those of the command alone. The options before it would be forgotten.
                local command=$words[1] given=${opt_args[--env-file]}
                case $command in
                    check) _arguments $file '--offline[leave out what needs a network]' '--json[print for programs]' ;;
                    subscriptions) _arguments $file '--json[print for programs]' ;;
                    send | remove) _arguments $file '1:hash:_relay_hashes' ;;
                    backup | restore) _arguments $file '1:file:_files' ;;
                    serve | rotate-key | healthcheck) _arguments $file ;;
                    completion) _arguments '1:shell:(bash zsh)' ;;
                esac
                ;;
        esac
    }

    if [[ $funcstack[1] == _relay ]]; then _relay "$@"; else compdef _relay relay; fi
    """#
