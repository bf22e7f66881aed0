// fast-robots: reads files with questions, and prints its decisions ("1" is allowed), or with another argument
// the processor time of a question in nanoseconds.
//
// A file is two lengths on a line, of its bytes and of its list of questions, and then both. A question is two
// lengths on a line, of an agent and of a path, and then both.

use fast_robots::RobotsTxt;
use std::env;
use std::hint::black_box;
use std::io::{self, Read};
use std::time::Instant;

struct File {
    robots: String,
    questions: Vec<(String, String)>,
}

// take removes two texts, and the line with their lengths, from the input.
fn take(input: &mut &[u8]) -> Option<(String, Vec<u8>)> {
    let end = input.iter().position(|&c| c == b'\n')?;
    let line = String::from_utf8_lossy(&input[..end]).into_owned();
    let (first, second) = line.split_once(' ')?;
    let (first, second): (usize, usize) = (first.parse().ok()?, second.parse().ok()?);
    let rest = &input[end + 1..];
    let text = String::from_utf8_lossy(&rest[..first]).into_owned();
    let more = rest[first..first + second].to_vec();
    *input = &rest[first + second..];
    Some((text, more))
}

fn read() -> Vec<File> {
    let mut all = Vec::new();
    io::stdin().read_to_end(&mut all).expect("the files can be read");
    let (mut input, mut files) = (&all[..], Vec::new());
    while let Some((robots, list)) = take(&mut input) {
        let (mut list, mut questions) = (&list[..], Vec::new());
        while let Some((agent, path)) = take(&mut list) {
            questions.push((agent, String::from_utf8_lossy(&path).into_owned()));
        }
        files.push(File { robots, questions });
    }
    files
}

// ask parses the file for each question, or once.
fn ask(files: &[File], once: bool) {
    for file in files {
        let kept = once.then(|| RobotsTxt::parse(&file.robots));
        for (agent, path) in &file.questions {
            match &kept {
                Some(robots) => black_box(robots.is_allowed(agent, path)),
                None => black_box(RobotsTxt::parse(&file.robots).is_allowed(agent, path)),
            };
        }
    }
}

// best returns the shortest time of a run, in nanoseconds.
fn best(mut run: impl FnMut()) -> f64 {
    let (mut count, mut tries, mut best) = (1, 0, f64::INFINITY);
    while tries < 5 {
        let start = Instant::now();
        for _ in 0..count {
            run();
        }
        let took = start.elapsed().as_nanos() as f64;
        if took < 50e6 {
            count *= 2;
            continue;
        }
        best = best.min(took / count as f64);
        tries += if took > 2e9 { 5 } else { 1 };
    }
    best
}

fn main() {
    let (files, kind) = (read(), env::args().nth(1).unwrap_or_default());
    let questions = files.iter().map(|file| file.questions.len()).sum::<usize>() as f64;
    match kind.as_str() {
        "anew" => println!("{}", best(|| ask(&files, false)) / questions),
        "kept" => println!("{}", best(|| ask(&files, true)) / questions),
        "decide" => {
            let parsed: Vec<_> = files.iter().map(|file| (RobotsTxt::parse(&file.robots), file)).collect();
            let took = best(|| {
                for (robots, file) in &parsed {
                    for (agent, path) in &file.questions {
                        black_box(robots.is_allowed(agent, path));
                    }
                }
            });
            println!("{}", took / questions);
        }
        _ => {
            for file in &files {
                let robots = RobotsTxt::parse(&file.robots);
                let answers = file.questions.iter().map(|(agent, path)| if robots.is_allowed(agent, path) { '1' } else { '0' });
                println!("{}", answers.collect::<String>());
            }
        }
    }
}
