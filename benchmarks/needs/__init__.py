"""Train and judge the judge of sentences, which tells where a citation is needed."""
