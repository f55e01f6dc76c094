# Runs Scid and operates it from within: each line of standard input is a Tcl command.

source -encoding utf-8 /usr/games/scid

# Lets Scid run until the condition holds.
proc until {condition} {
    while {![uplevel #0 [list expr $condition]]} {
        after 20 {set ::tick 1}
        vwait ::tick
    }
}

# Starts a game against the first engine at a fixed depth, from the current position or from the start, with these
# options set in the dialog.
proc playEngine {depth fromHere options} {
    set ::sergame::timeMode depth
    set ::sergame::startFromCurrent $fromHere
    ::sergame::config
    set w .configSerGameWin
    $w.fengines.fEnginesList.lbEngines selection set 0
    $w.ftime.depth.value set $depth
    $w.fengines.bEngineConfig invoke
    until {[winfo exists .uciConfigWin.c.f.fbuttons.save]}
    setOptions $options
    until {$::uci::uciInfo(pipe3) eq ""}
    after 1 [list $w.fbuttons.close invoke]
}

# Changes options in the dialog, and saves all of them.
proc setOptions {options} {
    foreach {name value} $options {
        set number 0
        foreach option $::uci::optList {
            if {[dict get $option name] eq $name} { break }
            incr number
        }
        if {[dict get $option type] eq "check"} {
            set ::uci::check($number) $value
        } else {
            .uciConfigWin.c.f.fopt.opt$number set $value
        }
    }
    .uciConfigWin.c.f.fbuttons.save invoke
}

# Answers once the condition holds. Scid keeps running until then.
proc when {condition} {
    if {[uplevel #0 [list expr $condition]]} { puts "did: " } else { after 20 [list when $condition] }
}

proc listen {} {
    if {[gets stdin line] < 0} {
        if {[eof stdin]} { exit }
        return
    }
    if {[string match "when *" $line]} {
        uplevel #0 $line
    } elseif {[catch {uplevel #0 $line} result]} {
        puts "failed: $result"
    } else {
        puts "did: $result"
    }
}

fconfigure stdout -buffering line
fconfigure stdin -blocking 0
fileevent stdin readable listen
