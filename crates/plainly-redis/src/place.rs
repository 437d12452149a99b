//! The URLs of the Redis servers and their user.

use percent_encoding::percent_decode_str;
use url::Url;

/// The port of Redis.
const PORT: u16 = 6_379;
/// The port of a sentinel.
const SENTINEL_PORT: u16 = 26_379;
/// The schemes, and whether they use TLS.
const SCHEMES: [(&str, bool); 2] = [("redis", false), ("rediss", true)];
/// The suffix of a sentinel's scheme.
const SENTINEL: &str = "+sentinel";

/// A host, by name or address, and its port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) port: u16,
}

/// The user's name, if there is one, and the password.
pub(crate) type User = (Option<String>, String);

/// The combined content of all URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The servers, or the sentinels.
    pub(crate) hosts: Vec<Host>,
    /// The name of the primary that the sentinels watch.
    pub(crate) watched: Option<String>,
    pub(crate) user: Option<User>,
    pub(crate) database: i64,
    pub(crate) is_tls: bool,
}

/// One URL.
#[derive(Debug)]
struct Part {
    host: Host,
    is_tls: bool,
    is_sentinel: bool,
    user: Option<User>,
    path: Vec<String>,
}

impl Place {
    /// Parses URLs with one host each, or with several hosts that are separated by commas. The
    /// user, the name and the database of one URL apply to all. The error contains each invalid
    /// URL's number, from 1, with the reason.
    pub(crate) fn parse(urls: &[String]) -> Result<Self, Vec<(usize, &'static str)>> {
        let urls = urls.iter().enumerate();
        let hosts =
            urls.flat_map(|(index, url)| url.split(',').map(move |host| (index, host.trim())));
        let mut scheme = "";
        let mut all: Option<Part> = None;
        let (mut place, mut wrong) = (Self::default(), Vec::new());
        for (index, host) in hosts.filter(|(_, host)| !host.is_empty()) {
            let rest = match host.split_once("://") {
                Some((its, rest)) => {
                    scheme = its;
                    rest
                }
                None => host,
            };
            let merged = Part::parse(scheme, rest).and_then(|part| {
                place.hosts.push(part.host.clone());
                match &mut all {
                    Some(all) => all.merge(part),
                    None => {
                        all = Some(part);
                        Ok(())
                    }
                }
            });
            wrong.extend(merged.err().map(|why| (index + 1, why)));
        }
        let finished = all.map_or(Ok(()), |all| place.finish(all));
        if wrong.is_empty() {
            wrong.extend(finished.err().map(|why| (1, why)));
        }
        match wrong.is_empty() {
            true => Ok(place),
            false => Err(wrong),
        }
    }

    /// Stores the parts that all URLs have in common.
    fn finish(&mut self, all: Part) -> Result<(), &'static str> {
        let (mut path, wrong) = (all.path.into_iter(), "its path is no number of a database");
        if all.is_sentinel {
            let name = path.next();
            self.watched = Some(name.ok_or("it lacks the name of the primary: add /NAME")?);
        }
        let database = path.next().map_or(Ok(0), |number| number.parse::<u32>());
        self.database = database.map_err(|_| wrong)?.into();
        (self.user, self.is_tls) = (all.user, all.is_tls);
        match path.next() {
            Some(_) => Err(wrong),
            None => Ok(()),
        }
    }
}

/// Merges a part of a URL, which must be the same in all URLs that have it.
fn merge<T: Default + PartialEq>(
    all: &mut T,
    one: T,
    why: &'static str,
) -> Result<(), &'static str> {
    if *all == T::default() {
        *all = one;
    } else if one != T::default() && one != *all {
        return Err(why);
    }
    Ok(())
}

impl Part {
    fn merge(&mut self, other: Self) -> Result<(), &'static str> {
        if (self.is_tls, self.is_sentinel) != (other.is_tls, other.is_sentinel) {
            return Err("it has another scheme than the first one");
        }
        merge(
            &mut self.path,
            other.path,
            "it has another path than an earlier one",
        )?;
        merge(
            &mut self.user,
            other.user,
            "it has another user than an earlier one",
        )
    }

    fn parse(scheme: &str, rest: &str) -> Result<Self, &'static str> {
        let (plain, is_sentinel) = match scheme.strip_suffix(SENTINEL) {
            Some(plain) => (plain, true),
            None => (scheme, false),
        };
        let known = SCHEMES.iter().find(|(known, _)| *known == plain);
        let (_, is_tls) = known.ok_or("its scheme is unknown")?;
        let url = Url::parse(&format!("{scheme}://{rest}")).map_err(|_| "it is no URL")?;
        let name = url.host_str().filter(|name| !name.is_empty());
        let name = name.ok_or("it has no host")?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it has something after `?` or `#`, which means nothing here");
        }
        if url.password().is_none() && !url.username().is_empty() {
            return Err("it has a user without a password");
        }
        let path = url.path().split('/').filter(|segment| !segment.is_empty());
        let name = name.trim_start_matches('[').trim_end_matches(']');
        Ok(Self {
            host: Host {
                name: decoded(name),
                port: url.port().unwrap_or(match is_sentinel {
                    true => SENTINEL_PORT,
                    false => PORT,
                }),
            },
            is_tls: *is_tls,
            is_sentinel,
            user: url.password().map(|password| {
                let user = Some(url.username()).filter(|user| !user.is_empty());
                (user.map(decoded), decoded(password))
            }),
            path: path.map(decoded).collect(),
        })
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str) -> Place {
        Place::parse(&[url.to_owned()]).unwrap()
    }

    fn host(name: &str, port: u16) -> Host {
        Host {
            name: name.to_owned(),
            port,
        }
    }

    #[test]
    fn a_server_has_a_host() {
        assert_eq!(place("redis://r1").hosts, [host("r1", 6_379)]);
        assert_eq!(place("redis://[::1]:7000").hosts, [host("::1", 7_000)]);
        let full = place("rediss://us%20er:p%40ss@r1:1/3");
        let user = Some((Some("us er".to_owned()), "p@ss".to_owned()));
        assert_eq!((full.user, full.database, full.is_tls), (user, 3, true));
        let user = Some((None, "p".to_owned()));
        assert_eq!(place("redis://:p@r1").user, user);
    }

    #[test]
    fn sentinels_are_one_url_or_several() {
        let one = place("redis+sentinel://:p@s1,s2:7/main/2");
        let urls = [
            "redis+sentinel://s1/main/2",
            "redis+sentinel://:p@s2:7/main/2",
        ];
        let several = Place::parse(&urls.map(str::to_owned)).unwrap();
        assert_eq!(one, several);
        assert_eq!(one.hosts, [host("s1", 26_379), host("s2", 7)]);
        assert_eq!((one.watched.as_deref(), one.database), (Some("main"), 2));
    }

    #[test]
    fn all_mistakes_are_found_at_once() {
        let urls = ["redis://r1", "http://r2", "redis://r3?a=b", "rediss://r4"];
        let wrong = Place::parse(&urls.map(str::to_owned)).unwrap_err();
        let numbers: Vec<_> = wrong.into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [2, 3, 4]);
        for url in [
            "redis://r1/main",
            "redis://r1/1/2",
            "redis+sentinel://s1",
            "redis://r1/1,r2/2",
            "redis://:a@r1,:b@r2",
            "redis://user@r1",
            "redis://",
            "r1",
        ] {
            assert!(Place::parse(&[url.to_owned()]).is_err(), "{url}");
        }
    }
}
