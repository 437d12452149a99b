//! `plainly skills`: the purposes of a server's skills, or the instructions of one after they were
//! verified.

use plainly::Client;
use plainly::client::LoadedSkill;
use plainly::protocol::types::Skill;
use serde_json::json;

use super::lacking::or_none;
use super::listed;
use crate::args::{Server, SkillsArgs};
use crate::connection::with_client;
use crate::failure::{Failure, MissingName, Subject};
use crate::near::did_you_mean;
use crate::output::Output;

pub(crate) async fn run(mut args: SkillsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let one = words.next();
    words.end()?;
    match one {
        Some(one) => show(&one, server, args).await,
        None if args.output.is_some() => {
            let what = "-o writes the instructions of one skill: name it";
            Err(Failure::impossible(what, None))
        }
        None => list(server, args).await,
    }
}

async fn list(server: Server, args: SkillsArgs) -> Result<(), Failure> {
    let mut output = Output::new(args.server.format());
    let skills = with_client(server, args.server, async |client| {
        let skills = or_none(client.skills().await, "skills", &output);
        skills.map_err(Failure::about(Subject::Resources))
    })
    .await?;
    listed::print(&skills, ["SKILL", "DESCRIPTION"], &mut output)
}

async fn show(one: &str, server: Server, args: SkillsArgs) -> Result<(), Failure> {
    let mut output = Output::new(args.server.format());
    let loaded = with_client(server, args.server, async |client| load(client, one).await).await?;
    let instructions = loaded.instructions();
    match (output.is_json(), args.output) {
        (true, _) => {
            let skill = loaded.skill();
            output.json(&json!({ "skill": skill, "instructions": instructions }))?;
        }
        (false, Some(path)) => output.write_to(&path, instructions.as_bytes())?,
        (false, None) if output.is_terminal() => output.lines(instructions)?,
        (false, None) => output.write(instructions.as_bytes())?,
    }
    output.flush()
}

async fn load(client: &Client, one: &str) -> Result<LoadedSkill, Failure> {
    let skill = find(client, one).await?;
    let subject = Subject::Resource(skill.uri.clone());
    let loading = client.load_skill(skill).await;
    loading.map_err(Failure::about(subject))
}

/// The skill with this URI, or else the only listed skill with this name.
async fn find(client: &Client, one: &str) -> Result<Skill, Failure> {
    // No name contains a colon.
    if one.contains(':') {
        let subject = Subject::Resource(one.to_owned());
        return client.skill(one).await.map_err(Failure::about(subject));
    }
    let skills = client.skills().await;
    let skills = skills.map_err(Failure::about(Subject::Resources))?;
    let named = skills.iter().filter(|skill| skill.name() == Some(one));
    match named.collect::<Vec<_>>().as_slice() {
        [skill] => Ok((*skill).clone()),
        [] => Err(missing(one, &skills)),
        several => {
            let uris: Vec<_> = several.iter().map(|skill| &*skill.uri).collect();
            Err(Failure::Missing(MissingName {
                what: format!("{} skills are named {one}", several.len()),
                help: format!("choose one by its URI: {}", uris.join(", ")),
            }))
        }
    }
}

fn missing(one: &str, skills: &[Skill]) -> Failure {
    let near = did_you_mean(one, skills.iter().filter_map(Skill::name));
    Failure::Missing(MissingName {
        what: format!("no such skill: {one}{near}"),
        help: "`plainly skills` lists the skills; a URI also finds one that is not listed"
            .to_owned(),
    })
}
