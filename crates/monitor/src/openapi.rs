//! The description of the interface.

/// OpenAPI 3.1, as `GET /api/openapi.json` gives it.
pub(crate) const TEXT: &str = include_str!("openapi.json");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_describes_each_route_that_there_is() {
        let description: serde_json::Value = serde_json::from_str(TEXT).unwrap();
        let paths = description["paths"].as_object().unwrap();
        let mut described: Vec<(String, String)> = Vec::new();
        for (path, operations) in paths {
            let methods = operations.as_object().unwrap().keys().filter(|key| *key != "parameters");
            described.extend(methods.map(|method| (path.clone(), method.clone())));
        }
        let source = include_str!("server/routes.rs");
        let mut routes: Vec<(String, String)> = Vec::new();
        for line in source.lines().filter_map(|line| line.trim().strip_prefix(".route(\"")) {
            let (path, rest) = line.split_once("\", ").unwrap();
            let method = rest.split('(').next().unwrap();
            routes.push((path.to_owned(), method.to_owned()));
        }
        described.sort();
        routes.sort();
        assert!(routes.len() > 10);
        assert_eq!(described, routes);
    }
}
